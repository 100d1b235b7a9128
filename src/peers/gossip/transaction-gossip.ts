/** Unconfirmed transactions between nodes: taken, put into the pool, passed on once. Page 04 §15. */

import { bytesKey } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import { fastHash } from "../../crypto/hashes.ts";
import type { Cancel, UnitChanges } from "../../interfaces.ts";
import type { OfferResult } from "../../mempool/admission.ts";
import { contain } from "../../runtime/contain.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import {
  parseTransaction,
  type Transaction,
  TransactionParseError,
  transactionBytes,
  transactionId,
} from "../../transactions/index.ts";
import type { Peer } from "../connections/peer.ts";
import type { PeerContext } from "../context.ts";
import type { GossipOptions } from "../options.ts";
import { messageDefinitions } from "../wire/message-definitions.ts";
import { invalidMessage } from "../wire/wire-error.ts";
import { FirstSenders } from "./first-senders.ts";
import { PeerTransactionQueue } from "./peer-transaction-queue.ts";

/** How transactions come to the pool: cheap checks, signatures by turns of the sources, then all the rest. */
export interface TransactionIntake {
  /** @param source label of the peer */
  offer(source: string, transaction: Transaction): Promise<OfferResult>;
}

interface GossipDependencies extends PeerContext {
  readonly intake: TransactionIntake;
  readonly options: GossipOptions;
  /** Whether the chain is young enough for transactions to make sense. Page 04 §9. */
  readonly isReady: () => boolean;
}

/** Bytes of a batch, beside which there is one transaction at least. */
const BATCH_BYTES = 1024 * 1024;
/** Repetitions that are passed over on the way to a batch, before others have their turn. */
const MAX_DUPLICATES_PER_BATCH = 5_000;
/** Of a batch, what doubtful peers get beside the others: one of so many. */
const UNRELIABLE_SHARE = 10;
const MAX_PAUSE_MS = 5_000;
/** How long a batch may take, ms: it takes a second where much else is to be done. */
const BATCH_TIMEOUT_MS = 30_000;

/** A transaction that is looked at, or was lately. */
interface Seen {
  /** Those who sent it, as long as it may be passed on. */
  sources: Set<Peer> | undefined;
}

interface Taken {
  readonly peer: Peer;
  readonly bytes: Uint8Array;
  /** What it is remembered by. */
  readonly key: string;
  readonly seen: Seen;
}

/** Takes transactions of all peers by turns, in batches, and passes on those that are new. */
export class TransactionGossip {
  readonly #dependencies: GossipDependencies;
  readonly #queues = new Map<Peer, PeerTransactionQueue>();
  /** By the hash of all bytes, proofs among them: nobody can keep a transaction out by a copy with other proofs. */
  readonly #seen: ExpiringMap<Seen>;
  readonly #firstSenders: FirstSenders;
  readonly #unsubscribe: () => void;
  #waiting = 0;
  /** The batch that is to begin; `now`: as soon as this turn is over. */
  #next: { readonly now: boolean; readonly cancel: Cancel } | undefined;
  #running = false;
  #stopped = false;

  constructor(dependencies: GossipDependencies) {
    const { network, chain, clock, options } = dependencies;
    this.#dependencies = dependencies;
    this.#seen = new ExpiringMap(clock, options.rememberMs, options.rememberedTransactions);
    this.#firstSenders = new FirstSenders(clock);
    this.#unsubscribe = chain.onChange((change) => this.#creditSenders(change));
    network.on("Transaction", (peer, { bytes }) => this.#received(peer, bytes));
    network.onClosed((peer) => {
      this.#dropQueue(peer);
      this.#firstSenders.forget(peer);
    });
  }

  stop(): void {
    this.#stopped = true;
    this.#unsubscribe();
    this.#next?.cancel();
    for (const peer of [...this.#queues.keys()]) this.#dropQueue(peer);
  }

  /** Sends a transaction of this node's own clients to all peers. */
  send(transaction: Transaction, except?: ReadonlySet<Peer>): void {
    const bytes = transactionBytes(transaction);
    // No peer takes a longer one: it comes to them in a block.
    if (bytes.length <= messageDefinitions.Transaction.limit)
      this.#dependencies.network.broadcast({ type: "Transaction", bytes }, except);
  }

  /** @returns what to wait for before more is read from the peer */
  #received(peer: Peer, bytes: Uint8Array): Promise<void> | undefined {
    if (this.#stopped || peer.isClosed || !this.#dependencies.isReady()) return undefined;
    const queue = getOrInsert(this.#queues, peer, () => new PeerTransactionQueue(this.#dependencies.clock));
    if (queue.isUnreliable && queue.isFull) return undefined;
    const pauseMs = queue.add(bytes);
    this.#waiting++;
    this.#schedule();
    if (queue.isFull) return queue.whenDrained();
    if (pauseMs === 0) return undefined;
    return new Promise((resolve) => {
      this.#dependencies.clock.after(Math.min(pauseMs, MAX_PAUSE_MS), resolve);
    });
  }

  /** Credits the first senders of transactions that came to the chain: only for these the sender has paid a fee. */
  #creditSenders({ committed }: UnitChanges): void {
    if (this.#firstSenders.size === 0) return;
    for (const { transactions } of committed)
      for (const { id } of transactions) this.#firstSenders.take(id)?.credit("transaction");
  }

  #dropQueue(peer: Peer): void {
    const queue = this.#queues.get(peer);
    if (queue === undefined) return;
    this.#waiting -= queue.size;
    queue.clear();
    this.#queues.delete(peer);
  }

  /** A batch begins when it is full, or some time after its first transaction has come. */
  #schedule(): void {
    if (this.#running || this.#stopped || this.#waiting === 0) return;
    const { clock, log, options } = this.#dependencies;
    const now = this.#isFull();
    if (this.#next !== undefined && (this.#next.now || !now)) return;
    this.#next?.cancel();
    const cancel = clock.after(now ? 0 : options.batchMs, () => {
      this.#next = undefined;
      this.#running = true;
      const message = "A batch of transactions of peers could not be taken";
      contain({ log, message }, () => this.#run())?.then(() => {
        this.#running = false;
        this.#schedule();
      });
    });
    this.#next = { now, cancel };
  }

  /** Whether enough for a batch waits; what doubtful peers sent is not hurried for. */
  #isFull(): boolean {
    const { batchSize } = this.#dependencies.options;
    if (this.#waiting < batchSize) return false;
    let waiting = 0;
    for (const queue of this.#queues.values()) if (!queue.isUnreliable) waiting += queue.size;
    return waiting >= batchSize;
  }

  /** Judges a batch. One that never comes to its end, by a fault of the node, does not end all gossip. */
  async #run(): Promise<void> {
    const { clock, log } = this.#dependencies;
    await new Promise<void>((resolve, reject) => {
      const cancel = clock.after(BATCH_TIMEOUT_MS, () => {
        log.error("A batch of transactions of peers does not end: the next one begins");
        resolve();
      });
      Promise.all(this.#takeBatch().map((taken) => this.#process(taken)))
        .then(() => resolve(), reject)
        .finally(cancel);
    });
  }

  /** The transactions of a batch: of each peer one by turns; those of doubtful peers behind the others. */
  #takeBatch(): readonly Taken[] {
    const { batchSize } = this.#dependencies.options;
    const batch: Taken[] = [];
    let bytes = 0;
    let repetitions = 0;
    const takeFrom = (queues: readonly (readonly [Peer, PeerTransactionQueue])[], most: number): void => {
      let left = queues;
      while (left.length > 0) {
        for (const [peer, queue] of left) {
          if (batch.length >= most || bytes >= BATCH_BYTES || repetitions >= MAX_DUPLICATES_PER_BATCH) return;
          const taken = this.#takeNext(peer, queue);
          if (taken === undefined) repetitions++;
          else {
            bytes += taken.bytes.length;
            batch.push(taken);
          }
        }
        left = left.filter(([, queue]) => queue.size > 0);
      }
    };
    const all = [...this.#queues].filter(([, queue]) => queue.size > 0);
    // Whoever comes first gets more when there is no room for all: so it is another one each time.
    const [first] = all;
    if (first !== undefined) {
      this.#queues.delete(first[0]);
      this.#queues.set(...first);
    }
    const doubtful = all.filter(([, queue]) => queue.isUnreliable);
    const others = all.filter(([, queue]) => !queue.isUnreliable);
    const share = Math.ceil(batchSize / UNRELIABLE_SHARE);
    takeFrom(others, doubtful.length === 0 ? batchSize : batchSize - share);
    takeFrom(doubtful, batch.length + share);
    return batch;
  }

  /** The next transaction of a peer, unless it was seen lately: then its sender has it, and that is all. */
  #takeNext(peer: Peer, queue: PeerTransactionQueue): Taken | undefined {
    const bytes = queue.take();
    if (bytes === undefined) return undefined;
    this.#waiting--;
    const key = bytesKey(fastHash(bytes));
    const known = this.#seen.get(key);
    if (known !== undefined) {
      known.sources?.add(peer);
      return undefined;
    }
    const seen: Seen = { sources: new Set([peer]) };
    this.#seen.set(key, seen);
    return { peer, bytes, key, seen };
  }

  async #process(taken: Taken): Promise<void> {
    const { log } = this.#dependencies;
    // What only gone peers have sent goes with them.
    const peer = [...(taken.seen.sources ?? [])].find(({ isClosed }) => !isClosed);
    const isDone =
      peer !== undefined &&
      (await this.#offer(peer, taken).catch((error: unknown) => {
        // A fault of the node: for this transaction it is as if it were invalid.
        this.#queues.get(peer)?.judged(true);
        log.error("A transaction of a peer could not be judged", { peer: peer.label, error });
        return true;
      }));
    if (!isDone) this.#seen.delete(taken.key);
    taken.seen.sources = undefined;
  }

  /** @returns whether it need not be looked at again for a while */
  async #offer(peer: Peer, { bytes, seen }: Taken): Promise<boolean> {
    const { intake, pool, rules } = this.#dependencies;
    if (!pool.hasRoomFor(bytes.length)) return false;
    let transaction: Transaction;
    try {
      transaction = parseTransaction(bytes, rules);
    } catch (error) {
      if (!(error instanceof TransactionParseError)) throw error;
      for (const source of seen.sources ?? []) source.blacklist(invalidMessage(error.message).message);
      return false;
    }
    const id = transactionId(transaction);
    // With other proofs it would be nothing new.
    if (pool.has(id)) return true;
    const outcome = await intake.offer(peer.label, transaction);
    const refusal = outcome.ok ? undefined : outcome.error;
    if (typeof refusal === "string") return false;
    // Whom this node's operator does not want is nobody's fault.
    if (refusal?.kind !== "SenderIsBlacklisted") this.#queues.get(peer)?.judged(refusal !== undefined);
    if (!outcome.ok || !outcome.value.added) return true;
    this.#firstSenders.add(id, peer);
    if (!this.#stopped) this.send(transaction, seen.sources);
    return true;
  }
}
