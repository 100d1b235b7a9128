/** Returns reverted transactions to the pool if there are too many for one step. */
import { bytesKey } from "../bytes/compare.ts";
import type { Chain, ChainChange } from "../chain/chain.ts";
import { TimeSlice } from "../chain/writing/time-slice.ts";
import type { ChainCursor, Clock, LeavingUnit, Log } from "../interfaces.ts";
import { MAX_READMIT_WORK, type Mempool, type Scratch } from "../mempool/mempool.ts";
import { tables } from "../storage/tables.ts";
import { transactionsOf } from "../storage/values/chain.ts";
import type { RecordedTransaction } from "../storage/values/ledger.ts";
import { type NetworkRules, reparseTransaction, type Transaction } from "../transactions/index.ts";
import type { Preverifier } from "../verification/ahead.ts";

/** A slice takes this thread a few milliseconds. */
const TRANSACTIONS_PER_SLICE = 64;
/** Further transactions are dropped. */
const MAX_RETURNED_TRANSACTIONS = 25_000;
/** As many as the log of reverted units keeps. */
const MAX_QUEUED_UNITS = 4_096;
/** About 20 ms, in units of `ScriptWork`. */
const MAX_SLICE_WORK = 20_000_000;
const SOURCE = "transactions that left the chain";

interface PoolReturnerDependencies {
  readonly chain: Pick<Chain, "read" | "ledger" | "openScratchSession">;
  readonly pool: Pick<Mempool, "has" | "hasRoomFor" | "isExpired" | "readmit">;
  readonly preverifier: Preverifier;
  readonly network: NetworkRules;
  readonly clock: Clock;
  readonly log: Log;
}

interface QueuedUnit extends ChainCursor {
  readonly transactionCount: number;
}

interface UnitTransactions {
  readonly bytes: readonly Uint8Array[];
  readonly recorded: Iterator<RecordedTransaction>;
}

interface ReturnRun {
  readonly scratch: Scratch;
  returnedCount: number;
  droppedCount: number;
  workLeft: number;
}

export class PoolReturner {
  readonly #dependencies: PoolReturnerDependencies;
  /** By id, in the order of leaving the chain: newest first. */
  readonly #queued = new Map<string, QueuedUnit>();
  /** Number of transactions dropped because too many units waited. */
  #overflow = 0;
  /** True until the current change's last commit. */
  #isPaused = false;
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(dependencies: PoolReturnerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Queues units of a change that the pool has applied.
   * @param notReadmitted reverted units that the pool did not readmit at once
   */
  follow(notReadmitted: readonly LeavingUnit[], { committed, isPart }: ChainChange): void {
    for (const { id } of committed) this.#queued.delete(bytesKey(id));
    for (const { height, sequence, id, transactionCount } of notReadmitted)
      if (transactionCount > 0) this.#queued.set(bytesKey(id), { height, sequence, id, transactionCount });
    for (const [key, { transactionCount }] of this.#queued) {
      if (this.#queued.size <= MAX_QUEUED_UNITS) break;
      this.#queued.delete(key);
      this.#overflow += transactionCount;
    }
    this.#isPaused = isPart;
    if (isPart || this.#isStopped || this.#queued.size === 0) return;
    this.#running ??= this.#run()
      .catch((error: unknown) =>
        this.#dependencies.log.error("Returning transactions to the pool failed", { error }),
      )
      .finally(() => {
        this.#running = undefined;
      });
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#queued.clear();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { chain, clock, log } = this.#dependencies;
    const run = {
      scratch: chain.openScratchSession(),
      returnedCount: 0,
      droppedCount: 0,
      workLeft: MAX_READMIT_WORK,
    };
    const slice = new TimeSlice(clock, () => {});
    // Let the commit's other listeners run first.
    await slice.yieldUnchecked();
    for (let unit = this.#lowestUnit(); unit !== undefined; unit = this.#lowestUnit()) {
      if (this.#isPaused) break;
      await this.#returnUnit(unit, run, slice);
    }
    const { returnedCount: returned } = run;
    const dropped = run.droppedCount + this.#overflow;
    this.#overflow = 0;
    if (dropped === 0) log.info("Transactions of reverted blocks are back in the pool", { returned });
    else log.warn("The pool has no room for some transactions of reverted blocks", { returned, dropped });
  }

  #lowestUnit(): QueuedUnit | undefined {
    let lowest: QueuedUnit | undefined;
    for (const unit of this.#queued.values())
      if (
        lowest === undefined ||
        unit.height < lowest.height ||
        (unit.height === lowest.height && unit.sequence < lowest.sequence)
      )
        lowest = unit;
    return lowest;
  }

  /** Returns a unit's transactions to the pool. During another change, the unit stays queued. */
  async #returnUnit(unit: QueuedUnit, run: ReturnRun, slice: TimeSlice): Promise<void> {
    const { chain, pool, preverifier } = this.#dependencies;
    const key = bytesKey(unit.id);
    const row = this.#isFull(run)
      ? undefined
      : chain.read((reader) => reader.get(tables.revertedUnits, unit.id));
    if (row?.body === undefined || row.recorded === undefined) {
      run.droppedCount += unit.transactionCount;
      this.#queued.delete(key);
      return;
    }
    const bytes = transactionsOf(row.body);
    const parts = { bytes, recorded: row.recorded[Symbol.iterator]() };
    for (let from = 0; from < bytes.length; from += TRANSACTIONS_PER_SLICE) {
      if (this.#isFull(run)) {
        run.droppedCount += bytes.length - from;
        break;
      }
      const transactions = this.#parseSlice(parts, from);
      await preverifier.verifyTransactions(SOURCE, transactions);
      if (slice.isOver) await slice.yieldUnchecked();
      // A new change may have begun, or restored the unit.
      if (this.#isPaused || !this.#queued.has(key)) return;
      const { returned, dropped, work } = pool.readmit(
        transactions,
        Math.min(run.workLeft, MAX_SLICE_WORK),
        run.scratch,
      );
      run.returnedCount += returned;
      run.droppedCount += dropped;
      run.workLeft -= work;
    }
    this.#queued.delete(key);
  }

  #isFull({ returnedCount }: ReturnRun): boolean {
    return returnedCount >= MAX_RETURNED_TRANSACTIONS || !this.#dependencies.pool.hasRoomFor(0);
  }

  /** Parses the next slice, without expired and known transactions. */
  #parseSlice({ bytes, recorded }: UnitTransactions, from: number): Transaction[] {
    const { chain, pool, network } = this.#dependencies;
    return chain.ledger((ledger) => {
      const transactions: Transaction[] = [];
      for (let index = from; index < Math.min(from + TRANSACTIONS_PER_SLICE, bytes.length); index++) {
        const next = recorded.next();
        if (next.done === true) break;
        const { id, timestamp } = next.value;
        if (pool.isExpired(timestamp) || pool.has(id) || ledger.knownTransaction(id) !== undefined) continue;
        transactions.push(reparseTransaction(bytes[index], network));
      }
      return transactions;
    });
  }
}
