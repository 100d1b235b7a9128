/** The only path into the pool, for transactions of every source. Page 04 §15.2. */

import { failed } from "../errors/result.ts";
import type { Clock } from "../interfaces.ts";
import type { OfferResult } from "../mempool/admission.ts";
import type { Mempool } from "../mempool/mempool.ts";
import { createTaskQueue, type TaskQueue } from "../runtime/time-sliced-queue.ts";
import type { Transaction } from "../transactions/index.ts";
import type { Preverifier } from "../verification/ahead.ts";
import type { SourceId } from "../verification/script-queue.ts";

/** Batching amortizes reading the state. */
const ADMISSION_BATCH_SIZE = 16;

interface CheckedTransaction {
  readonly transaction: Transaction;
  /** When the caller gives up, ms. */
  readonly deadline: number;
  readonly resolve: (outcome: OfferResult) => void;
  readonly reject: (error: unknown) => void;
}

interface OfferOptions {
  /** When the caller gives up, ms; default: never. */
  readonly deadline?: number | undefined;
  /** False without a binary form (`EncodedTransaction`): threads have nothing to check. */
  readonly hasBytes?: boolean | undefined;
}

export class Intake {
  readonly #pool: Mempool;
  readonly #ahead: Preverifier;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #queue: TaskQueue;
  readonly #checked: CheckedTransaction[] = [];

  /** @param queue of this thread, shared with API requests */
  constructor(
    pool: Mempool,
    ahead: Preverifier,
    clock: Pick<Clock, "monotonic">,
    queue: TaskQueue = createTaskQueue(clock),
  ) {
    this.#pool = pool;
    this.#ahead = ahead;
    this.#clock = clock;
    this.#queue = queue;
  }

  /**
   * Offers a statically checked transaction to the pool. Free checks come first, then signatures and the sender's script in
   * threads, then all other checks against the current state, in batches.
   * @param source sources take turns
   */
  async offer(
    source: SourceId,
    transaction: Transaction,
    { deadline = Number.POSITIVE_INFINITY, hasBytes = true }: OfferOptions = {},
  ): Promise<OfferResult> {
    const early = this.#pool.earlyRefusal(transaction);
    if (early !== undefined) return failed(early);
    let offered = transaction;
    if (hasBytes) {
      offered = this.#pool.ownCopy(transaction);
      if ((await this.#ahead.verifyTransactions(source, [offered])) === "busy") return failed("busy");
      if (!(await this.#runScript(source, offered, deadline))) return failed("busy");
    }
    return new Promise((resolve, reject) => {
      this.#checked.push({ transaction: offered, deadline, resolve, reject });
      this.#queue.add(() => this.#judge());
    });
  }

  /**
   * Runs the sender's script unless its result is known.
   * @returns false if this source currently uses too much; it may retry later
   */
  async #runScript(source: SourceId, transaction: Transaction, deadline: number): Promise<boolean> {
    const { scripts } = this.#pool;
    const [run] = this.#pool.scriptRuns([transaction]);
    if (run === undefined) return true;
    let given: number | "none" = "none";
    let isJudged = true;
    const outcome = await this.#ahead.runScripts(source, [
      {
        run,
        texts: true,
        allowance: () => {
          given = this.#clock.monotonic() < deadline ? scripts.allowance(source, run) : "none";
          return given;
        },
        onReport: (report) => {
          if (given !== "none") isJudged = scripts.recordRun(source, run, report, given);
        },
      },
    ]);
    return isJudged && outcome !== "busy";
  }

  /** Admits the next batch, if any remains. Transactions past their deadline fail. */
  #judge(): void {
    const now = this.#clock.monotonic();
    const all = this.#checked.splice(0, ADMISSION_BATCH_SIZE);
    const group = all.filter(({ deadline }) => now < deadline);
    for (const one of all) if (now >= one.deadline) one.resolve(failed("late"));
    if (group.length === 0) return;
    try {
      const admissions = this.#pool.addChecked(group.map(({ transaction }) => transaction));
      for (const [i, { resolve }] of group.entries()) resolve(admissions[i]);
    } catch {
      // One of them makes the node fail: try each alone, so that only that one gets the error.
      for (const one of group) this.#judgeAlone(one);
    }
  }

  #judgeAlone({ transaction, resolve, reject }: CheckedTransaction): void {
    try {
      resolve(this.#pool.addChecked([transaction])[0]);
    } catch (error) {
      reject(error);
    }
  }
}
