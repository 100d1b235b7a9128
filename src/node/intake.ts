/** The one way of a transaction into the pool, whoever brought it. Page 04 §15.2. */

import { failed } from "../errors/result.ts";
import type { Clock } from "../interfaces.ts";
import type { OfferResult } from "../mempool/admission.ts";
import type { Mempool } from "../mempool/mempool.ts";
import { createTaskQueue, type TaskQueue } from "../runtime/time-sliced-queue.ts";
import type { Transaction } from "../transactions/index.ts";
import type { Preverifier } from "../verification/preverifier.ts";
import type { SourceId } from "../verification/script-queue.ts";

/** How many are judged at once: looking at the state once for several is cheaper. */
const ADMISSION_BATCH_SIZE = 16;

interface CheckedTransaction {
  readonly transaction: Transaction;
  /** When whoever asked gives up, ms. */
  readonly deadline: number;
  readonly resolve: (outcome: OfferResult) => void;
  readonly reject: (error: unknown) => void;
}

interface OfferOptions {
  /** When whoever offers it gives up, ms; never unless given. */
  readonly deadline?: number | undefined;
  /** False for one that no bytes can hold (`SentTransaction`): there is nothing to be checked in threads. */
  readonly hasBytes?: boolean | undefined;
}

export class Intake {
  readonly #pool: Mempool;
  readonly #ahead: Preverifier;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #queue: TaskQueue;
  /** What waits to be judged, each with a task in the queue. */
  readonly #checked: CheckedTransaction[] = [];

  /** @param queue of this thread: what comes through the port waits in it too */
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
   * Offers a transaction that passed the static checks to the pool: what costs nothing first, then signatures and
   * the sender's script in threads, then all the rest by the state as it is then, many in as many slices as they need.
   * @param source whose turn it is: sources are checked by turns
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
   * Has the script of a transaction's sender run, if there is one and it is not known what it says.
   * @returns false if too much is asked of this source now: the same may be asked again later
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

  /** Judges the next of those that are checked, if an earlier task did not. Those that waited for too long are not judged. */
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
      // A fault of the node over one of them: the others are not to suffer for it, and each says its own.
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
