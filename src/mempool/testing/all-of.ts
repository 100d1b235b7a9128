import type { Transaction } from "../../transactions/index.ts";
import type { Mempool } from "../mempool.ts";

/** Reads a whole pool in order, a few transactions per page. */
export function allOf(pool: Mempool): Transaction[] {
  const all: Transaction[] = [];
  for (let after: string | undefined, more = true; more; more = after !== undefined) {
    const { transactions, next } = pool.page(after, { transactions: 3, bytes: 1_000 });
    all.push(...transactions);
    after = next;
  }
  return all;
}
