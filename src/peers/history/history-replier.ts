/** Answers peers' requests for our chain. Page 04 §12. */

import { bytesEqual } from "../../bytes/compare.ts";
import { originOf } from "../../bytes/ip.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { Clock, Log } from "../../interfaces.ts";
import { contain } from "../../runtime/contain.ts";
import { type Budget, BudgetTable, TokenBucket } from "../../runtime/token-bucket.ts";
import type { Peer, PeerNetwork } from "../connections/peer.ts";
import { contentLength } from "../wire/content-length.ts";
import type { Message } from "../wire/messages.ts";
import type { History } from "./chain-history.ts";

/** Queued block requests per peer: a reference node's longest burst. Page 04 §25. */
const MAX_BLOCK_REQUESTS = 200;
const MAX_MICRO_BLOCK_REQUESTS = 20;
/** A peer with more queued bytes gets no further answer. */
const MAX_PENDING_BYTES = 1_048_576;
/** Time slice for requests, ms, before other tasks run. */
const SLICE_MS = 10;
const MAX_ANSWERS_PER_SLICE = 32;
/** Budgets of answer bytes, per origin and in total: 1 MiB costs about 2 ms. */
const ORIGIN_BUDGET: Budget = { perSecond: 16 * 2 ** 20, burst: 64 * 2 ** 20 };
const TOTAL_BUDGET: Budget = { perSecond: 64 * 2 ** 20, burst: 128 * 2 ** 20 };
const MAX_ORIGINS = 4_096;
/** A lookup's cost in bytes: it takes about 8 µs. */
const LOOKUP_COST = 4_096;

type Request = Message<"GetSignatures" | "GetBlock" | "MicroBlockRequest">;

interface PeerRequests {
  readonly peer: Peer;
  readonly origin: string;
  readonly requests: Request[];
  readonly waiting: Record<Request["type"], number>;
  /** True if the peer is queued or waits for its next answer. */
  isScheduled: boolean;
}

interface HistoryReplierDependencies {
  readonly network: PeerNetwork;
  readonly history: History;
  readonly clock: Clock;
  readonly log: Log;
}

/**
 * Answers peers round-robin, one request at a time, each peer's in order. Excess requests are dropped. Peers that are
 * slow or over budget wait without blocking others.
 */
export class HistoryReplier {
  readonly #dependencies: HistoryReplierDependencies;
  readonly #requests = new Map<Peer, PeerRequests>();
  /** Next one first. */
  readonly #ready: PeerRequests[] = [];
  readonly #originBudgets: BudgetTable;
  readonly #totalBudget: TokenBucket;
  #scheduled = false;
  #ended = false;

  constructor(dependencies: HistoryReplierDependencies) {
    const { network, clock } = dependencies;
    this.#dependencies = dependencies;
    this.#originBudgets = new BudgetTable(clock, ORIGIN_BUDGET, MAX_ORIGINS);
    this.#totalBudget = new TokenBucket(clock, TOTAL_BUDGET);
    const enter = (peer: Peer, request: Request): void => this.#enqueue(peer, request);
    network.on("GetSignatures", enter);
    network.on("GetBlock", enter);
    network.on("MicroBlockRequest", enter);
    network.onClosed((peer) => this.#forget(peer));
  }

  end(): void {
    this.#ended = true;
    for (const peer of [...this.#requests.keys()]) this.#forget(peer);
  }

  #enqueue(peer: Peer, request: Request): void {
    if (this.#ended || peer.isClosed) return;
    const client = getOrInsert(this.#requests, peer, () => ({
      peer,
      origin: originOf(peer.host),
      requests: [],
      waiting: { GetSignatures: 0, GetBlock: 0, MicroBlockRequest: 0 },
      isScheduled: false,
    }));
    if (client.waiting[request.type] >= maxRequests[request.type]) return;
    client.waiting[request.type]++;
    client.requests.push(request);
    if (!client.isScheduled) this.#queue(client);
  }

  #queue(client: PeerRequests): void {
    client.isScheduled = client.requests.length > 0;
    if (!client.isScheduled) return;
    this.#ready.push(client);
    this.#schedule();
  }

  #forget(peer: Peer): void {
    const client = this.#requests.get(peer);
    if (client === undefined) return;
    client.requests.length = 0;
    this.#requests.delete(peer);
    const at = this.#ready.indexOf(client);
    if (at >= 0) this.#ready.splice(at, 1);
  }

  #schedule(): void {
    if (this.#scheduled) return;
    this.#scheduled = true;
    this.#dependencies.clock.after(0, () => {
      this.#scheduled = false;
      this.#answerSlice();
    });
  }

  #answerSlice(): void {
    const { clock } = this.#dependencies;
    const since = clock.monotonic();
    for (let i = 0; i < MAX_ANSWERS_PER_SLICE; i++) {
      const client = this.#ready.shift();
      if (client === undefined) return;
      this.#contain(client, () => this.#continue(client, this.#answer(client)));
      if (clock.monotonic() - since >= SLICE_MS) break;
    }
    if (this.#ready.length > 0) this.#schedule();
  }

  /** Schedules a peer's next answer: now, after a pause, or when its send queue has drained. */
  #continue(client: PeerRequests, pauseMs: number): void {
    const { peer } = client;
    if (pauseMs > 0) this.#dependencies.clock.after(pauseMs, () => this.#queue(client));
    else if (peer.pendingBytes > MAX_PENDING_BYTES)
      this.#contain(client, () => peer.drained().then(() => this.#queue(client)));
    else this.#queue(client);
  }

  /** Runs work for a peer. A fault of this node closes the connection. */
  #contain({ peer }: PeerRequests, work: () => unknown): void {
    const onFailure = (): void => peer.close("This node failed to answer the peer");
    const facts = { peer: peer.label };
    contain(
      { log: this.#dependencies.log, message: "Cannot answer the requests of a peer", facts, onFailure },
      work,
    );
  }

  /** Answers the oldest request. @returns pause before the next one, ms */
  #answer({ peer, origin, requests, waiting }: PeerRequests): number {
    const request = requests.shift();
    if (request === undefined) return 0;
    waiting[request.type]--;
    let cost = LOOKUP_COST;
    try {
      const answer = this.#find(request);
      cost = LOOKUP_COST * lookUpsFor(request, answer);
      if (answer !== undefined) {
        peer.send(answer);
        cost += contentLength(answer);
      }
    } catch (error) {
      this.#dependencies.log.error("Cannot answer a request of a peer", { peer: peer.label, error });
    }
    return Math.max(this.#originBudgets.charge(origin, cost), this.#totalBudget.charge(cost));
  }

  #find(request: Request): Message | undefined {
    const { history } = this.#dependencies;
    switch (request.type) {
      case "GetSignatures":
        // Empty without a common id: a reference node without an answer bans us (page 04 §26, rule 12).
        return { type: "Signatures", ids: history.idsAfter(request.ids) };
      case "GetBlock": {
        const bytes = history.block(request.id);
        return bytes && { type: "Block", bytes };
      }
      case "MicroBlockRequest": {
        const bytes = history.microBlock(request.id);
        return bytes && { type: "MicroBlockResponse", bytes };
      }
    }
  }
}

/**
 * Counts the rows read for an answer. For `GetSignatures`: the ids up to the first common one, and the blocks after
 * it.
 */
function lookUpsFor(request: Request, answer: Message | undefined): number {
  if (request.type !== "GetSignatures" || answer?.type !== "Signatures") return 1;
  const [common, ...following] = answer.ids;
  const at = common === undefined ? -1 : request.ids.findIndex((id) => bytesEqual(id, common));
  return (at < 0 ? request.ids.length : at + 1) + following.length;
}

const maxRequests: Readonly<Record<Request["type"], number>> = {
  GetSignatures: 1,
  GetBlock: MAX_BLOCK_REQUESTS,
  MicroBlockRequest: MAX_MICRO_BLOCK_REQUESTS,
};
