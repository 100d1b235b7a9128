import type { AccountInfo } from "../interfaces.ts";
import type { EncodedTransaction } from "../transactions/index.ts";
import { defineControl, query, timedCommand } from "./define.ts";
import type { Outcome } from "./failure.ts";

export interface PoolPage {
  /** Concatenated bytes of transactions in pool order. */
  readonly bytes: Uint8Array;
  /** Where each transaction ends in `bytes`. */
  readonly ends: readonly number[];
  /** Undefined on the last page. */
  readonly next: Uint8Array | undefined;
}

/** In the order of arrival. */
export interface PoolNews {
  /** As in `PoolPage`. */
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
  /** Number of earlier transactions that were dropped because too many arrived. */
  readonly missed: number;
  /** Cursor after these transactions. */
  readonly next: number;
}

/** Each call takes a bounded part of the node's time. */
export const poolControl = defineControl({
  /** Page 05 §24.2; `added` is false for a known transaction. */
  broadcast:
    timedCommand<(transaction: EncodedTransaction) => Promise<Outcome<{ readonly added: boolean }>>>(),
  /**
   * All pages together contain each transaction that stays in the pool exactly once, and maybe others. Page
   * 05 §24.4.
   * @param after `next` of the previous page
   */
  page: {
    ...query<(after?: Uint8Array) => Promise<PoolPage>>(),
    owned: ({ bytes }: PoolPage) => bytes,
  },
  size: query<() => Promise<number>>(),
  /**
   * Long poll: resolves with new transactions, or with none after some seconds. The pool keeps them only for
   * regular callers.
   * @param after `next` of the previous answer; from now on by default
   */
  news: query<(after?: number) => Promise<PoolNews>>(),
  /** With proofs. */
  transaction: query<(id: Uint8Array) => Promise<Uint8Array | undefined>>(),
  /** Oldest pool transaction that anchors this hash (types 15 and 22 values). Page 07 §18.3. */
  anchor: query<(hash: Uint8Array) => Promise<Uint8Array | undefined>>(),
  /** Pessimistic effect of the pool on an account. Page 05 §24.6. */
  effect: query<(address: Uint8Array) => Promise<AccountInfo>>(),
});
