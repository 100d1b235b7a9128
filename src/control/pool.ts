import type { AccountInfo } from "../interfaces.ts";
import type { EncodedTransaction } from "../transactions/index.ts";
import { defineControl, query, timedCommand } from "./define.ts";
import type { Outcome } from "./failure.ts";

export interface PoolPage {
  /** Concatenated bytes of transactions in pool order. */
  readonly bytes: Uint8Array;
  /** Where each transaction ends in `bytes`. */
  readonly ends: readonly number[];
  /** Cursor of the next page; undefined on the last page. */
  readonly next: Uint8Array | undefined;
}

/** New transactions in the order of their arrival. */
export interface PoolNews {
  /** Concatenated bytes of the transactions; `ends` is as in `PoolPage`. */
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
  /** Number of earlier transactions that were dropped because too many arrived. */
  readonly missed: number;
  /** Cursor after these transactions. */
  readonly next: number;
}

/** Calls to the pool of unconfirmed transactions. The node's work for each call is bounded. */
export const poolControl = defineControl({
  /** Adds a transaction to the pool and sends it to peers. `added` is false if it was known. Page 05 §24.2. */
  broadcast:
    timedCommand<(transaction: EncodedTransaction) => Promise<Outcome<{ readonly added: boolean }>>>(),
  /**
   * Returns a page of the pool. A transaction that stays in the pool while all pages are read is on exactly one page.
   * Page 05 §24.4.
   * @param after `next` of the previous page
   */
  page: {
    ...query<(after?: Uint8Array) => Promise<PoolPage>>(),
    owned: ({ bytes }: PoolPage) => bytes,
  },
  size: query<() => Promise<number>>(),
  /**
   * Long poll: resolves with new transactions, or with none after some seconds. The pool remembers new transactions
   * only for callers that call regularly.
   * @param after `next` of the previous answer; by default only later transactions are returned
   */
  news: query<(after?: number) => Promise<PoolNews>>(),
  /** Returns the bytes of a transaction, proofs included. */
  transaction: query<(id: Uint8Array) => Promise<Uint8Array | undefined>>(),
  /**
   * Returns the bytes of the oldest pool transaction that anchors this hash (type 15, or a value of type 22). Page 07
   * §18.3.
   */
  anchor: query<(hash: Uint8Array) => Promise<Uint8Array | undefined>>(),
  /** Returns the pessimistic effect of the pool's transactions on an account. Page 05 §24.6. */
  effect: query<(address: Uint8Array) => Promise<AccountInfo>>(),
});
