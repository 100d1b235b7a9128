/** Page 04 §12. */

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

/** Requests that a reference node sends at once. Page 04 §25. */
const MAX_BLOCK_REQUESTS = 200;
const MAX_MICRO_BLOCK_REQUESTS = 20;
/** A peer with more queued bytes gets no further answers until its queue is short (`drained`). */
const MAX_PENDING_BYTES = 1_048_576;
const SLICE_MS = 10;
const MAX_ANSWERS_PER_SLICE = 32;
/** In answer bytes. */
const ORIGIN_BUDGET: Budget = { perSecond: 16 * 2 ** 20, burst: 64 * 2 ** 20 };
const TOTAL_BUDGET: Budget = { perSecond: 64 * 2 ** 20, burst: 128 * 2 ** 20 };
const MAX_ORIGINS = 4_096;
/** Cost of a lookup in answer bytes. */
const LOOKUP_COST = 4_096;

type Request = Message<"GetSignatures" | "GetBlock" | "MicroBlockRequest">;

interface PeerRequests {
  readonly peer: Peer;
  readonly origin: string;
  readonly requests: Request[];
  readonly queuedCounts: Record<Request["type"], number>;
  isScheduled: boolean;
}

interface HistoryReplierDependencies {
  readonly network: PeerNetwork;
  readonly history: History;
  readonly clock: Clock;
  readonly log: Log;
}

/** Answers peers round-robin, and each peer's requests in order. Drops excess requests. */
export class HistoryReplier {
  readonly #dependencies: HistoryReplierDependencies;
  readonly #requests = new Map<Peer, PeerRequests>();
  readonly #ready: PeerRequests[] = [];
  readonly #originBudgets: BudgetTable;
  readonly #totalBudget: TokenBucket;
  #isScheduled = false;
  #hasEnded = false;

  constructor(dependencies: HistoryReplierDependencies) {
    const { network, clock } = dependencies;
    this.#dependencies = dependencies;
    this.#originBudgets = new BudgetTable(clock, ORIGIN_BUDGET, MAX_ORIGINS);
    this.#totalBudget = new TokenBucket(clock, TOTAL_BUDGET);
    const enqueue = (peer: Peer, request: Request): void => this.#enqueue(peer, request);
    network.on("GetSignatures", enqueue);
    network.on("GetBlock", enqueue);
    network.on("MicroBlockRequest", enqueue);
    network.onClosed((peer) => this.#forget(peer));
  }

  end(): void {
    this.#hasEnded = true;
    for (const peer of [...this.#requests.keys()]) this.#forget(peer);
  }

  #enqueue(peer: Peer, request: Request): void {
    if (this.#hasEnded || peer.isClosed) return;
    const peerRequests = getOrInsert(this.#requests, peer, () => ({
      peer,
      origin: originOf(peer.host),
      requests: [],
      queuedCounts: { GetSignatures: 0, GetBlock: 0, MicroBlockRequest: 0 },
      isScheduled: false,
    }));
    if (peerRequests.queuedCounts[request.type] >= maxRequests[request.type]) return;
    peerRequests.queuedCounts[request.type]++;
    peerRequests.requests.push(request);
    if (!peerRequests.isScheduled) this.#makeReady(peerRequests);
  }

  #makeReady(peerRequests: PeerRequests): void {
    peerRequests.isScheduled = peerRequests.requests.length > 0;
    if (!peerRequests.isScheduled) return;
    this.#ready.push(peerRequests);
    this.#schedule();
  }

  #forget(peer: Peer): void {
    const peerRequests = this.#requests.get(peer);
    if (peerRequests === undefined) return;
    peerRequests.requests.length = 0;
    this.#requests.delete(peer);
    const at = this.#ready.indexOf(peerRequests);
    if (at >= 0) this.#ready.splice(at, 1);
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    this.#dependencies.clock.after(0, () => {
      this.#isScheduled = false;
      this.#answerSlice();
    });
  }

  #answerSlice(): void {
    const { clock } = this.#dependencies;
    const since = clock.monotonic();
    for (let i = 0; i < MAX_ANSWERS_PER_SLICE; i++) {
      const peerRequests = this.#ready.shift();
      if (peerRequests === undefined) return;
      this.#contain(peerRequests, () => this.#scheduleNext(peerRequests, this.#answer(peerRequests)));
      if (clock.monotonic() - since >= SLICE_MS) break;
    }
    if (this.#ready.length > 0) this.#schedule();
  }

  #scheduleNext(peerRequests: PeerRequests, pauseMs: number): void {
    const { peer } = peerRequests;
    if (pauseMs > 0) this.#dependencies.clock.after(pauseMs, () => this.#makeReady(peerRequests));
    else if (peer.pendingBytes > MAX_PENDING_BYTES)
      this.#contain(peerRequests, () => peer.drained().then(() => this.#makeReady(peerRequests)));
    else this.#makeReady(peerRequests);
  }

  #contain({ peer }: PeerRequests, work: () => unknown): void {
    const onFailure = (): void => peer.close("This node failed to answer the peer");
    const facts = { peer: peer.label };
    contain(
      { log: this.#dependencies.log, message: "Cannot answer the requests of a peer", facts, onFailure },
      work,
    );
  }

  /** @returns the pause before the peer's next request, ms */
  #answer({ peer, origin, requests, queuedCounts }: PeerRequests): number {
    const request = requests.shift();
    if (request === undefined) return 0;
    queuedCounts[request.type]--;
    let cost = LOOKUP_COST;
    try {
      const answer = this.#findAnswer(request);
      cost = LOOKUP_COST * countLookups(request, answer);
      if (answer !== undefined) {
        peer.send(answer);
        cost += contentLength(answer);
      }
    } catch (error) {
      this.#dependencies.log.error("Cannot answer a request of a peer", { peer: peer.label, error });
    }
    return Math.max(this.#originBudgets.charge(origin, cost), this.#totalBudget.charge(cost));
  }

  #findAnswer(request: Request): Message | undefined {
    const { history } = this.#dependencies;
    switch (request.type) {
      case "GetSignatures":
        // Answer even if no id is common: a reference node bans a peer that does not answer (page 04 §26, rule 12).
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

/** A `GetSignatures` request looks up ids until the first common one, and the blocks after it. */
function countLookups(request: Request, answer: Message | undefined): number {
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
