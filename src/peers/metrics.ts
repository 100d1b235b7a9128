import { type CounterSeries, counter, gauge, type Metrics, noMetrics, recordOf } from "../runtime/metrics.ts";
import type { Verdict } from "./sync/loader-dependencies.ts";
import { messageDefinitions } from "./wire/message-definitions.ts";
import type { MessageType } from "./wire/messages.ts";
import type { Penalty } from "./wire/wire-error.ts";

// Safe cast: `messageDefinitions` has exactly the message types.
const messageTypes = Object.keys(messageDefinitions) as MessageType[];

const directions = ["received", "sent"] as const;
const penalties = ["close", "suspend", "blacklist"] as const satisfies readonly Penalty[];

const extensionResults = [
  "applied",
  /** All its blocks were in our chain already. */
  "known",
  "not_better",
  /** A block is from the future: it is requested again when it is due. */
  "early",
  /** It branches off deeper than `max-rollback`, or has no block in common with our chain. */
  "too_deep",
  "refused",
] as const;

export const syncStages = ["idle", "requesting_ids", "downloading", "applying"] as const;
export type SyncStage = (typeof syncStages)[number];

export const peerMetrics = {
  connected: gauge("holdfast_peers_connected", "Connected peers by the side that dialled.", {
    direction: ["inbound", "outbound"],
  }),
  known: gauge("holdfast_peers_known", "Addresses that the node can dial: configured, or reached before."),
  banned: gauge("holdfast_peers_banned", "Bans in force, one per origin."),
  scoreDifference: gauge(
    "holdfast_peers_score_difference",
    "Highest score that a connected peer claims, minus the score of our chain. No value without such a claim.",
  ),
  messages: counter("holdfast_peers_messages_total", "Messages received from peers and sent to them.", {
    direction: directions,
    type: messageTypes,
  }),
  bytes: counter("holdfast_peers_message_bytes_total", "Bytes of these messages, including their frames.", {
    direction: directions,
    type: messageTypes,
  }),
  dropped: counter(
    "holdfast_peers_dropped_messages_total",
    "Received messages that were dropped because the peer exceeded a rate limit.",
  ),
  ended: counter(
    "holdfast_peers_ended_connections_total",
    "Ended connections. `close`: no penalty; `suspend`: the node does not dial the address for a while; `blacklist`: it bans the origin.",
    { penalty: penalties },
  ),
  rejected: counter(
    "holdfast_peers_rejected_connections_total",
    "Inbound connections that were closed at once: banned, or no free slot.",
  ),
  unsentBytes: gauge("holdfast_peers_unsent_bytes", "Bytes that wait to be sent to peers."),
} as const;

export const syncMetrics = {
  stage: gauge(
    "holdfast_sync_stage",
    "Is 1 for the current stage of the download of a better chain, 0 for the others.",
    {
      stage: syncStages,
    },
  ),
  blocks: counter(
    "holdfast_sync_blocks_total",
    "Blocks applied from downloaded chains of peers. Its rate is the speed of the synchronization.",
  ),
  extensions: counter(
    "holdfast_sync_extensions_total",
    "Downloaded parts of chains by result. `too_deep`: the common block left our chain meanwhile.",
    { result: extensionResults },
  ),
  deepBranch: gauge(
    "holdfast_sync_deep_branch_blocks",
    "How many blocks back a better chain of the peers branches off, if that is more than `--sync-max-rollback`; else 0.",
  ),
  remaining: gauge(
    "holdfast_sync_remaining_blocks",
    "Estimated number of blocks up to the best chain that peers have proven; 0 if the node is not behind.",
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

  /** @param length of the frame, bytes */
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

export function stageOf(request: "signatures" | "blocks" | undefined, queued: number): SyncStage {
  if (request === undefined) return queued === 0 ? "idle" : "applying";
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
