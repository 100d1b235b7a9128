/**
 * The transactions that users send. They are the same in every run, since signing costs more than everything else; runs
 * send different ones of them.
 */
import { RandomTransactions } from "../../src/testing/random-transactions.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import type { Transaction } from "../../src/transactions/index.ts";

/** Time between two transactions, ms. */
const STEP = 1_000;

/** Transactions of a network, in order. */
export class Traffic {
  readonly #made: Transaction[] = [];
  readonly #random: RandomTransactions;

  /** @param begin time of the first transaction, ms */
  constructor(
    private readonly begin: number,
    chainId: number,
  ) {
    this.#random = new RandomTransactions(new SeededRandom(1), chainId);
  }

  /** Returns the transaction that is due at a time, ms. */
  at(now: number): Transaction {
    const index = Math.floor((now - this.begin) / STEP);
    while (this.#made.length <= index)
      this.#made.push(this.#random.next(this.begin + this.#made.length * STEP));
    return this.#made[index];
  }
}
