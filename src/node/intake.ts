/** The one way of a transaction into the pool, whoever brought it. Page 04 §15.2. */

import type { Clock } from "../interfaces.ts";
import type { Admission, Mempool } from "../mempool/mempool.ts";
import { Turns } from "../runtime/time-sliced-queue.ts";
import type { Transaction } from "../transactions/index.ts";
import { CheckerError } from "../verification/batch-checker.ts";
import type { SourceId } from "../verification/script-queue.ts";
import { type Verifier, VerifierBusyError } from "../verification/verifier.ts";
import { runScriptAhead } from "./scripts-ahead.ts";

/** How many are judged at once: looking at the state once for several is cheaper. */
const JUDGED_TOGETHER = 16;

interface Waiting {
  readonly transaction: Transaction;
  /** When whoever asked gives up, ms. */
  readonly deadline: number;
  readonly resolve: (outcome: Admission | "late") => void;
  readonly reject: (error: unknown) => void;
}

export interface OfferOptions {
  /** When whoever offers it gives up, ms; never unless given. */
  readonly deadline?: number | undefined;
  /** False for one that no bytes can hold (`SentTransaction`): there is nothing to be checked in threads. */
  readonly hasBytes?: boolean | undefined;
}

export class Intake {
  readonly #pool: Mempool;
  readonly #verifier: Pick<Verifier, "transactions" | "scripts">;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #turns: Turns<Waiting>;

  constructor(
    pool: Mempool,
    verifier: Pick<Verifier, "transactions" | "scripts">,
    clock: Pick<Clock, "monotonic">,
  ) {
    this.#pool = pool;
    this.#verifier = verifier;
    this.#clock = clock;
    this.#turns = new Turns<Waiting>(clock, JUDGED_TOGETHER, (all) => this.#judge(all, clock.monotonic()));
  }

  /**
   * Offers a transaction that passed the static checks to the pool: what costs nothing first, then signatures and
   * the sender's script in threads, then all the rest by the state as it is then, many in as many turns as they need.
   * @param source whose turn it is: sources are checked by turns
   * @returns `busy`: too much waits to be checked, or the source has brought too much in vain; `late`: the deadline passed before it was judged
   */
  async offer(
    source: SourceId,
    transaction: Transaction,
    { deadline = Number.POSITIVE_INFINITY, hasBytes = true }: OfferOptions = {},
  ): Promise<Admission | "busy" | "late"> {
    const early = this.#pool.refusalAtOnce(transaction);
    if (early !== undefined) return early;
    let offered = transaction;
    if (hasBytes) {
      offered = this.#pool.known(transaction);
      try {
        await this.#verifier.transactions(source, [offered]);
      } catch (error) {
        if (error instanceof VerifierBusyError) return "busy";
        // What is not found out ahead is found out when it is judged: slower, but no transaction is lost for it.
        if (!(error instanceof CheckerError)) throw error;
      }
      const ahead = { pool: this.#pool, verifier: this.#verifier, clock: this.#clock };
      if (!(await runScriptAhead(ahead, source, offered, deadline))) return "busy";
    }
    return new Promise((resolve, reject) =>
      this.#turns.add({ transaction: offered, deadline, resolve, reject }),
    );
  }

  /** Those that have waited for too long are not judged. */
  #judge(all: readonly Waiting[], now: number): void {
    const group = all.filter(({ deadline }) => now < deadline);
    for (const one of all) if (now >= one.deadline) one.resolve("late");
    try {
      const admissions = this.#pool.addAll(group.map(({ transaction }) => transaction));
      for (const [i, { resolve }] of group.entries()) resolve(admissions[i]);
    } catch {
      // A fault of the node over one of them: the others are not to suffer for it, and each says its own.
      for (const one of group) this.#judgeAlone(one);
    }
  }

  #judgeAlone({ transaction, resolve, reject }: Waiting): void {
    try {
      resolve(this.#pool.add(transaction));
    } catch (error) {
      reject(error);
    }
  }
}
