/** Adds transactions from clients, peers and this node to the pool. Page 04 §15.2. */

import { failed } from "../errors/result.ts";
import type { Clock } from "../interfaces.ts";
import type { OfferResult } from "../mempool/admission.ts";
import type { Mempool } from "../mempool/mempool.ts";
import { createTaskQueue, type TaskQueue } from "../runtime/time-sliced-queue.ts";
import type { Transaction } from "../transactions/index.ts";
import type { Preverifier } from "../verification/ahead.ts";
import type { SourceId } from "../verification/script-queue.ts";

const ADMISSION_BATCH_SIZE = 16;

interface CheckedTransaction {
  readonly transaction: Transaction;
  /** See `OfferOptions`. */
  readonly deadline: number;
  readonly resolve: (outcome: OfferResult) => void;
  readonly reject: (error: unknown) => void;
}

interface OfferOptions {
  /** Monotonic time until which the caller waits, ms. */
  readonly deadline?: number | undefined;
  /** False if the transaction has no binary form for the checker threads (`EncodedTransaction`). */
  readonly hasBytes?: boolean | undefined;
}

export class Intake {
  readonly #pool: Mempool;
  readonly #preverifier: Preverifier;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #queue: TaskQueue;
  readonly #isPaused: () => boolean;
  readonly #checked: CheckedTransaction[] = [];

  /**
   * @param queue for work in this thread, shared with API requests
   * @param isPaused returns true while the disk has too little space: every offer is then answered `busy`
   */
  constructor(
    pool: Mempool,
    preverifier: Preverifier,
    clock: Pick<Clock, "monotonic">,
    queue: TaskQueue = createTaskQueue(clock),
    isPaused: () => boolean = () => false,
  ) {
    this.#isPaused = isPaused;
    this.#pool = pool;
    this.#preverifier = preverifier;
    this.#clock = clock;
    this.#queue = queue;
  }

  /**
   * Offers a statically checked transaction to the pool.
   * @param source client or peer: threads check the transactions of all sources in turn
   */
  async offer(
    source: SourceId,
    transaction: Transaction,
    { deadline = Number.POSITIVE_INFINITY, hasBytes = true }: OfferOptions = {},
  ): Promise<OfferResult> {
    if (this.#isPaused()) return failed("busy");
    const early = this.#pool.earlyRefusal(transaction);
    if (early !== undefined) return failed(early);
    let offered = transaction;
    if (hasBytes) {
      offered = this.#pool.preferPooled(transaction);
      const isChecked =
        (await this.#preverifier.verifyTransactions(source, [offered])) !== "busy" &&
        (await this.#runScript(source, offered, deadline));
      if (!isChecked) {
        this.#pool.counter.countRefused("busy");
        return failed("busy");
      }
    }
    return new Promise((resolve, reject) => {
      this.#checked.push({ transaction: offered, deadline, resolve, reject });
      this.#queue.add(() => this.#admitBatch());
    });
  }

  /**
   * Runs the sender's script unless its result is cached.
   * @returns false if there is no result: the source is throttled or the threads are busy
   */
  async #runScript(source: SourceId, transaction: Transaction, deadline: number): Promise<boolean> {
    const { scripts } = this.#pool;
    const [run] = this.#pool.scriptRuns([transaction]);
    if (run === undefined) return true;
    let granted: number | "none" = "none";
    let isDecided = true;
    const outcome = await this.#preverifier.runScripts(source, [
      {
        run,
        includesVars: true,
        allowance: () => {
          granted = this.#clock.monotonic() < deadline ? scripts.allowance(source, run) : "none";
          return granted;
        },
        onReport: (report) => {
          if (granted !== "none") isDecided = scripts.recordRun(source, run, report, granted);
        },
      },
    ]);
    return isDecided && outcome !== "busy";
  }

  #admitBatch(): void {
    const now = this.#clock.monotonic();
    const batch = this.#checked.splice(0, ADMISSION_BATCH_SIZE);
    const awaited = batch.filter(({ deadline }) => now < deadline);
    for (const { deadline, resolve } of batch)
      if (now >= deadline) {
        this.#pool.counter.countRefused("late");
        resolve(failed("late"));
      }
    if (awaited.length === 0) return;
    try {
      const admissions = this.#pool.addChecked(awaited.map(({ transaction }) => transaction));
      for (const [i, { resolve }] of awaited.entries()) resolve(admissions[i]);
    } catch {
      // Only the caller whose transaction causes the error gets the error.
      for (const checked of awaited) this.#admitAlone(checked);
    }
  }

  #admitAlone({ transaction, resolve, reject }: CheckedTransaction): void {
    try {
      resolve(this.#pool.addChecked([transaction])[0]);
    } catch (error) {
      reject(error);
    }
  }
}
