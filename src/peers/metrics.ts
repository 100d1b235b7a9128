import { type CounterSeries, counter, gauge, type Metrics, noMetrics, recordOf } from "../runtime/metrics.ts";
import type { Verdict } from "./sync/loader-dependencies.ts";
import { messageDefinitions } from "./wire/message-definitions.ts";
import type { MessageType } from "./wire/messages.ts";
import type { Penalty } from "./wire/wire-error.ts";

// Safe cast: `messageDefinitions` has exactly the message types.
const messageTypes = Object.keys(messageDefinitions) as MessageType[];

const directions = ["received", "sent"] as const;
const penalties = ["close", "suspend", "blacklist"] as const satisfies readonly Penalty[];

const extensionResults = ["applied", "known", "not_better", "early", "too_deep", "refused"] as const;

export const syncStages = ["idle", "requesting_ids", "downloading", "applying"] as const;
export type SyncStage = (typeof syncStages)[number];

export const peerMetrics = {
  connected: gauge(
    "holdfast_peers_connected",
    "Connected peers. `inbound`: the peer dialled; `outbound`: this node dialled.",
    {
      direction: ["inbound", "outbound"],
    },
  ),
  known: gauge(
    "holdfast_peers_known",
    "Known addresses of nodes: configured ones, and those that this node has reached.",
  ),
  banned: gauge(
    "holdfast_peers_banned",
    "Banned origins. An origin is an IPv4 address or an IPv6 /64 network.",
  ),
  scoreDifference: gauge(
    "holdfast_peers_score_difference",
    "Highest score that a connected peer claims, minus the score of our chain. There is no value if no peer has sent its score.",
  ),
  messages: counter("holdfast_peers_messages_total", "Messages exchanged with peers.", {
    direction: directions,
    type: messageTypes,
  }),
  bytes: counter(
    "holdfast_peers_message_bytes_total",
    "Bytes of messages exchanged with peers, including their frames.",
    {
      direction: directions,
      type: messageTypes,
    },
  ),
  dropped: counter(
    "holdfast_peers_dropped_messages_total",
    "Received messages that were dropped because the peer exceeded a rate limit.",
  ),
  ended: counter(
    "holdfast_peers_ended_connections_total",
    "Ended connections to peers by penalty. `close`: none; `suspend`: the node does not dial the address for a while; `blacklist`: the node bans the origin.",
    { penalty: penalties },
  ),
  rejected: counter(
    "holdfast_peers_rejected_connections_total",
    "Inbound connections that the node closed at once, because of a ban or a limit.",
  ),
  unsentBytes: gauge("holdfast_peers_unsent_bytes", "Bytes in the queues of messages to peers."),
} as const;

export const syncMetrics = {
  stage: gauge(
    "holdfast_sync_stage",
    "Is 1 for the current stage of the synchronization, 0 for the others.",
    {
      stage: syncStages,
    },
  ),
  blocks: counter(
    "holdfast_sync_blocks_total",
    "Blocks that were downloaded from peers and applied. The rate is the speed of the synchronization.",
  ),
  extensions: counter(
    "holdfast_sync_extensions_total",
    "Downloaded sequences of blocks by result. `known`: all blocks were already in our chain; `early`: a block is dated in the future; `too_deep`: the last common block is too deep, or no longer in our chain.",
    { result: extensionResults },
  ),
  deepBranch: gauge(
    "holdfast_sync_deep_branch_blocks",
    "Depth in blocks at which a better chain of peers branches off from ours; 0 unless it exceeds `--sync-max-rollback`.",
  ),
  remaining: gauge(
    "holdfast_sync_remaining_blocks",
    "Estimated number of blocks that the node must still apply; 0 if it is not behind.",
  ),
} as const;

interface Traffic {
  readonly messages: CounterSeries;
  readonly bytes: CounterSeries;
}

type TrafficByType = Readonly<Record<MessageType, Traffic>>;

export class PeerCounters {
  readonly #received: TrafficByType;
  readonly #sent: TrafficByType;
  readonly #dropped: CounterSeries;
  readonly #rejected: CounterSeries;
  readonly #ended: Readonly<Record<Penalty, CounterSeries>>;

  constructor(metrics: Metrics = noMetrics) {
    const traffic = (direction: (typeof directions)[number]): TrafficByType =>
      recordOf(messageTypes, (type) => ({
        messages: metrics.counter(peerMetrics.messages, { direction, type }),
        bytes: metrics.counter(peerMetrics.bytes, { direction, type }),
      }));
    this.#received = traffic("received");
    this.#sent = traffic("sent");
    this.#dropped = metrics.counter(peerMetrics.dropped, {});
    this.#rejected = metrics.counter(peerMetrics.rejected, {});
    this.#ended = recordOf(penalties, (penalty) => metrics.counter(peerMetrics.ended, { penalty }));
  }

  readonly received = (type: MessageType, length: number): void => {
    const { messages, bytes } = this.#received[type];
    messages.add();
    bytes.add(length);
  };

  /** @param length bytes of the frame */
  sent(type: MessageType, length: number): void {
    const { messages, bytes } = this.#sent[type];
    messages.add();
    bytes.add(length);
  }

  dropped(): void {
    this.#dropped.add();
  }

  rejected(): void {
    this.#rejected.add();
  }

  ended(penalty: Penalty): void {
    this.#ended[penalty].add();
  }
}

export function extensionCounter(metrics: Metrics): (verdict: Verdict) => void {
  const blocks = metrics.counter(syncMetrics.blocks, {});
  const results = recordOf(extensionResults, (result) => metrics.counter(syncMetrics.extensions, { result }));
  return (verdict) => {
    if (verdict.kind === "applied") blocks.add(verdict.blocks);
    results[resultOf(verdict)].add();
  };
}

export function stageOf(request: "signatures" | "blocks" | undefined, queuedCount: number): SyncStage {
  if (request === undefined) return queuedCount === 0 ? "idle" : "applying";
  return request === "signatures" ? "requesting_ids" : "downloading";
}

function resultOf({ kind }: Verdict): (typeof extensionResults)[number] {
  switch (kind) {
    case "applied":
    case "known":
      return kind;
    case "not better":
      return "not_better";
    case "future":
      return "early";
    case "no common parent":
    case "too deep":
      return "too_deep";
    default:
      return "refused";
  }
}
