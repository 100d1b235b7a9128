/** Calls about the pool of unconfirmed transactions. */
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

/** New transactions of the pool, in the order of arrival. */
export interface PoolNews {
  /** Concatenated bytes, and where each transaction ends. */
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
  /** Number of earlier transactions that were forgotten because too many arrived. */
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
   * A page of the pool in its order (page 05 §24.4). All pages contain each transaction that stays in the pool exactly
   * once, and possibly some that come or go meanwhile. `after` is `next` of the previous page.
   */
  page: {
    ...query<(after?: Uint8Array) => Promise<PoolPage>>(),
    owned: ({ bytes }: PoolPage) => bytes,
  },
  /** Number of transactions. */
  size: query<() => Promise<number>>(),
  /**
   * Long poll: resolves with new transactions, or with none after some seconds. `after` is `next` of the previous
   * answer; undefined: from now on. The pool keeps them only for regular callers.
   */
  news: query<(after?: number) => Promise<PoolNews>>(),
  /** Full bytes of a transaction of the pool. */
  transaction: query<(id: Uint8Array) => Promise<Uint8Array | undefined>>(),
  /** Oldest pool transaction that anchors this hash (types 15 and 22 values). Page 07 §18.3. */
  anchor: query<(hash: Uint8Array) => Promise<Uint8Array | undefined>>(),
  /** Pessimistic effect of the pool on an account. Page 05 §24.6. */
  effect: query<(address: Uint8Array) => Promise<AccountInfo>>(),
});
