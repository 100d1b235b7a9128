/** Page 04 §15. */

import { bytesKey } from "../../bytes/compare.ts";
import type { ChainChange } from "../../chain/writing/change.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import { fastHash } from "../../crypto/hashes.ts";
import type { Cancel } from "../../interfaces.ts";
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

/** Implemented by `node/intake.ts`. */
export interface TransactionIntake {
  offer(source: string, transaction: Transaction): Promise<OfferResult>;
}

interface GossipDependencies extends PeerContext {
  readonly intake: TransactionIntake;
  readonly options: GossipOptions;
  /** False while our chain is too old. Page 04 §9. */
  readonly isReady: () => boolean;
}

const BATCH_BYTES = 1024 * 1024;
const MAX_DUPLICATES_PER_BATCH = 5_000;
/** All unreliable peers share 1 / `UNRELIABLE_DIVISOR` of a batch. */
const UNRELIABLE_DIVISOR = 10;
const MAX_PAUSE_MS = 5_000;
const BATCH_TIMEOUT_MS = 30_000;

interface SeenTransaction {
  /** Peers that sent the transaction; undefined after its check. */
  sources: Set<Peer> | undefined;
}

interface BatchItem {
  readonly peer: Peer;
  readonly bytes: Uint8Array;
  readonly key: string;
  readonly seen: SeenTransaction;
}

export class TransactionGossip {
  readonly #dependencies: GossipDependencies;
  readonly #queues = new Map<Peer, PeerTransactionQueue>();
  /** By hash of all bytes, since proofs can differ. */
  readonly #seen: ExpiringMap<SeenTransaction>;
  readonly #firstSenders: FirstSenders;
  readonly #unsubscribe: () => void;
  #waitingCount = 0;
  /** An immediate batch starts in the next event loop turn. */
  #scheduledBatch: { readonly isImmediate: boolean; readonly cancel: Cancel } | undefined;
  #isRunning = false;
  #isStopped = false;

  constructor(dependencies: GossipDependencies) {
    const { network, chain, clock, options } = dependencies;
    this.#dependencies = dependencies;
    this.#seen = new ExpiringMap(clock, options.rememberMs, options.rememberedTransactions);
    this.#firstSenders = new FirstSenders(clock);
    this.#unsubscribe = chain.onChange((change) => this.#creditSenders(change));
    network.on("Transaction", (peer, { bytes }) => this.#enqueue(peer, bytes));
    network.onClosed((peer) => {
      this.#dropQueue(peer);
      this.#firstSenders.forget(peer);
    });
  }

  stop(): void {
    this.#isStopped = true;
    this.#unsubscribe();
    this.#scheduledBatch?.cancel();
    for (const peer of [...this.#queues.keys()]) this.#dropQueue(peer);
  }

  send(transaction: Transaction, except?: ReadonlySet<Peer>): void {
    const bytes = transactionBytes(transaction);
    // Peers refuse longer messages.
    if (bytes.length <= messageDefinitions.Transaction.limit)
      this.#dependencies.network.broadcast({ type: "Transaction", bytes }, except);
  }

  /** @returns a promise that resolves when reading from the peer may continue; undefined: at once */
  #enqueue(peer: Peer, bytes: Uint8Array): Promise<void> | undefined {
    if (this.#isStopped || peer.isClosed || !this.#dependencies.isReady()) return undefined;
    const queue = getOrInsert(this.#queues, peer, () => new PeerTransactionQueue(this.#dependencies.clock));
    if (queue.isUnreliable && queue.isFull) return undefined;
    const pauseMs = queue.add(bytes);
    this.#waitingCount++;
    this.#scheduleBatch();
    if (queue.isFull) return queue.whenNotFull();
    if (pauseMs === 0) return undefined;
    return new Promise((resolve) => {
      this.#dependencies.clock.after(Math.min(pauseMs, MAX_PAUSE_MS), resolve);
    });
  }

  #creditSenders({ committed }: ChainChange): void {
    if (this.#firstSenders.size === 0) return;
    for (const unit of committed)
      for (const id of unit.transactionIds()) this.#firstSenders.take(id)?.credit("transaction");
  }

  #dropQueue(peer: Peer): void {
    const queue = this.#queues.get(peer);
    if (queue === undefined) return;
    this.#waitingCount -= queue.size;
    queue.clear();
    this.#queues.delete(peer);
  }

  #scheduleBatch(): void {
    if (this.#isRunning || this.#isStopped || this.#waitingCount === 0) return;
    const { clock, log, options } = this.#dependencies;
    const isImmediate = this.#hasFullBatch();
    if (this.#scheduledBatch !== undefined && (this.#scheduledBatch.isImmediate || !isImmediate)) return;
    this.#scheduledBatch?.cancel();
    const cancel = clock.after(isImmediate ? 0 : options.batchMs, () => {
      this.#scheduledBatch = undefined;
      this.#isRunning = true;
      const message = "Cannot process a batch of transactions of peers";
      contain({ log, message }, () => this.#runBatch())?.then(() => {
        this.#isRunning = false;
        this.#scheduleBatch();
      });
    });
    this.#scheduledBatch = { isImmediate, cancel };
  }

  #hasFullBatch(): boolean {
    const { batchSize } = this.#dependencies.options;
    if (this.#waitingCount < batchSize) return false;
    let waiting = 0;
    for (const queue of this.#queues.values()) if (!queue.isUnreliable) waiting += queue.size;
    return waiting >= batchSize;
  }

  async #runBatch(): Promise<void> {
    const { clock, log } = this.#dependencies;
    const processed = Promise.all(this.#takeBatch().map((item) => this.#checkItem(item)));
    await new Promise<void>((resolve, reject) => {
      const cancel = clock.after(BATCH_TIMEOUT_MS, () => {
        log.error("Timeout of a batch of peer transactions: continuing with the next batch");
        resolve();
      });
      processed.then(() => resolve(), reject).finally(cancel);
    });
  }

  #takeBatch(): readonly BatchItem[] {
    const { batchSize } = this.#dependencies.options;
    const batch: BatchItem[] = [];
    let bytes = 0;
    let duplicates = 0;
    const takeFrom = (queues: readonly (readonly [Peer, PeerTransactionQueue])[], maxCount: number): void => {
      let nonEmpty = queues;
      while (nonEmpty.length > 0) {
        for (const [peer, queue] of nonEmpty) {
          if (batch.length >= maxCount || bytes >= BATCH_BYTES || duplicates >= MAX_DUPLICATES_PER_BATCH)
            return;
          const item = this.#takeNext(peer, queue);
          if (item === undefined) duplicates++;
          else {
            bytes += item.bytes.length;
            batch.push(item);
          }
        }
        nonEmpty = nonEmpty.filter(([, queue]) => queue.size > 0);
      }
    };
    const all = [...this.#queues].filter(([, queue]) => queue.size > 0);
    // Rotate the order, because the first peers get more places.
    const [first] = all;
    if (first !== undefined) {
      this.#queues.delete(first[0]);
      this.#queues.set(...first);
    }
    const unreliable = all.filter(([, queue]) => queue.isUnreliable);
    const others = all.filter(([, queue]) => !queue.isUnreliable);
    const unreliableCount = Math.ceil(batchSize / UNRELIABLE_DIVISOR);
    takeFrom(others, unreliable.length === 0 ? batchSize : batchSize - unreliableCount);
    takeFrom(unreliable, batch.length + unreliableCount);
    return batch;
  }

  /** Returns undefined if the transaction was seen recently. */
  #takeNext(peer: Peer, queue: PeerTransactionQueue): BatchItem | undefined {
    const bytes = queue.take();
    if (bytes === undefined) return undefined;
    this.#waitingCount--;
    const key = bytesKey(fastHash(bytes));
    const known = this.#seen.get(key);
    if (known !== undefined) {
      known.sources?.add(peer);
      return undefined;
    }
    const seen: SeenTransaction = { sources: new Set([peer]) };
    this.#seen.set(key, seen);
    return { peer, bytes, key, seen };
  }

  async #checkItem(item: BatchItem): Promise<void> {
    const { log } = this.#dependencies;
    const peer = [...(item.seen.sources ?? [])].find(({ isClosed }) => !isClosed);
    const isChecked =
      peer !== undefined &&
      (await this.#offer(peer, item).catch((error: unknown) => {
        // After a fault of this node, the transaction counts as invalid.
        this.#queues.get(peer)?.recordVerdict(true);
        log.error("Cannot check a transaction of a peer", { peer: peer.label, error });
        return true;
      }));
    if (!isChecked) this.#seen.delete(item.key);
    item.seen.sources = undefined;
  }

  /** @returns true if the transaction need not be checked again for a while */
  async #offer(peer: Peer, { bytes, seen }: BatchItem): Promise<boolean> {
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
    if (pool.has(id)) return true;
    const outcome = await intake.offer(peer.label, transaction);
    const refusal = outcome.ok ? undefined : outcome.error;
    // `busy` or `late`: the transaction was not checked.
    if (typeof refusal === "string") return false;
    // Peers do not know our operator's blacklist.
    if (refusal?.kind !== "SenderIsBlacklisted") this.#queues.get(peer)?.recordVerdict(refusal !== undefined);
    if (!outcome.ok || !outcome.value.added) return true;
    this.#firstSenders.add(id, peer);
    if (!this.#isStopped) this.send(transaction, seen.sources);
    return true;
  }
}
