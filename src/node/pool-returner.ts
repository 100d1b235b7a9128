/**
 * Returns transactions of reverted blocks to the pool if one step cannot: after a long fork, a deep rollback or a
 * checkpoint. After the change, it reads them from the log of reverted units in short slices.
 */
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

/** A few milliseconds of this thread. */
const TRANSACTIONS_PER_SLICE = 64;
/** Limit per change; the rest is dropped. A pool transaction takes about 3 KB of memory. */
const MAX_RETURNED = 25_000;
/** Each takes a few hundred bytes; the log of reverted units keeps no more. */
const MAX_WAITING_UNITS = 4_096;
/** Script work per slice, in units of `ScriptWork`: about 20 ms. */
const MAX_SLICE_WORK = 20_000_000;
const SOURCE = "transactions that left the chain";

interface PoolReturnerDependencies {
  readonly chain: Pick<Chain, "read" | "ledger" | "openScratchSession">;
  readonly pool: Pick<Mempool, "has" | "hasRoomFor" | "isExpired" | "readmit">;
  readonly ahead: Preverifier;
  readonly network: NetworkRules;
  readonly clock: Clock;
  readonly log: Log;
}

interface WaitingUnit extends ChainCursor {
  readonly count: number;
}

interface UnitParts {
  readonly bytes: readonly Uint8Array[];
  readonly recorded: Iterator<RecordedTransaction>;
}

/** One run, from the end of a change until no unit waits. */
interface ReturnRun {
  readonly scratch: Scratch;
  returned: number;
  /** Transactions known to have no room in the pool. */
  dropped: number;
  work: number;
}

export class PoolReturner {
  readonly #dependencies: PoolReturnerDependencies;
  /** By id, in the order in which they left the chain: newest first. */
  readonly #waiting = new Map<string, WaitingUnit>();
  /** Transactions in units dropped because too many waited. */
  #overflow = 0;
  /** True while parts of the current change follow. */
  #isPaused = false;
  #isStopped = false;
  #running: Promise<void> | undefined;

  constructor(dependencies: PoolReturnerDependencies) {
    this.#dependencies = dependencies;
  }

  /**
   * Follows a chain change after the pool.
   * @param late units that the pool did not immediately readmit
   */
  follow(late: readonly LeavingUnit[], { committed, isPart }: ChainChange): void {
    for (const { id } of committed) this.#waiting.delete(bytesKey(id));
    for (const { height, sequence, id, transactionCount } of late)
      if (transactionCount > 0)
        this.#waiting.set(bytesKey(id), { height, sequence, id, count: transactionCount });
    for (const [key, { count }] of this.#waiting) {
      if (this.#waiting.size <= MAX_WAITING_UNITS) break;
      this.#waiting.delete(key);
      this.#overflow += count;
    }
    this.#isPaused = isPart;
    if (isPart || this.#isStopped || this.#waiting.size === 0) return;
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
    this.#waiting.clear();
    await this.#running;
  }

  async #run(): Promise<void> {
    const { chain, clock, log } = this.#dependencies;
    const series = { scratch: chain.openScratchSession(), returned: 0, dropped: 0, work: MAX_READMIT_WORK };
    const pace = new TimeSlice(clock, () => {});
    // The rest of the commit's turn is for other work.
    await pace.yieldUnchecked();
    for (let unit = this.#lowest(); unit !== undefined; unit = this.#lowest()) {
      if (this.#isPaused) break;
      await this.#return(unit, series, pace);
    }
    const { returned } = series;
    const dropped = series.dropped + this.#overflow;
    this.#overflow = 0;
    if (dropped === 0) log.info("Transactions of reverted blocks are back in the pool", { returned });
    else log.warn("The pool has no room for some transactions of reverted blocks", { returned, dropped });
  }

  /** Returns the lowest unit: dependencies come first. */
  #lowest(): WaitingUnit | undefined {
    let lowest: WaitingUnit | undefined;
    for (const unit of this.#waiting.values())
      if (
        lowest === undefined ||
        unit.height < lowest.height ||
        (unit.height === lowest.height && unit.sequence < lowest.sequence)
      )
        lowest = unit;
    return lowest;
  }

  /** Returns a unit's transactions to the pool. If another change interrupts it, the unit restarts afterwards. */
  async #return(unit: WaitingUnit, series: ReturnRun, pace: TimeSlice): Promise<void> {
    const { chain, pool, ahead } = this.#dependencies;
    const key = bytesKey(unit.id);
    const row = this.#isFull(series)
      ? undefined
      : chain.read((reader) => reader.get(tables.revertedUnits, unit.id));
    if (row?.body === undefined || row.recorded === undefined) {
      series.dropped += unit.count;
      this.#waiting.delete(key);
      return;
    }
    const bytes = transactionsOf(row.body);
    const parts = { bytes, recorded: row.recorded[Symbol.iterator]() };
    for (let from = 0; from < bytes.length; from += TRANSACTIONS_PER_SLICE) {
      if (this.#isFull(series)) {
        series.dropped += bytes.length - from;
        break;
      }
      const transactions = this.#read(parts, from);
      await ahead.verifyTransactions(SOURCE, transactions);
      if (pace.isOver) await pace.yieldUnchecked();
      // The chain may have changed meanwhile, or the unit may be back.
      if (this.#isPaused || !this.#waiting.has(key)) return;
      const { returned, dropped, work } = pool.readmit(
        transactions,
        Math.min(series.work, MAX_SLICE_WORK),
        series.scratch,
      );
      series.returned += returned;
      series.dropped += dropped;
      series.work -= work;
    }
    this.#waiting.delete(key);
  }

  #isFull({ returned }: ReturnRun): boolean {
    return returned >= MAX_RETURNED || !this.#dependencies.pool.hasRoomFor(0);
  }

  #read({ bytes, recorded }: UnitParts, from: number): Transaction[] {
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
