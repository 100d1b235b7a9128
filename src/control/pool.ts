import type { AccountInfo } from "../interfaces.ts";
import type { EncodedTransaction } from "../transactions/index.ts";
import { defineControl, query, remotely, timedCommand } from "./define.ts";
import type { Outcome } from "./failure.ts";

export interface PoolPage {
  /** Concatenated transactions in pool order. */
  readonly bytes: Uint8Array;
  /** End offset of each transaction in `bytes`. */
  readonly ends: readonly number[];
  /** Cursor of the next page; undefined on the last page. */
  readonly next: Uint8Array | undefined;
}

/** New transactions in order of arrival, encoded like a `PoolPage`. */
export interface PoolNews {
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
  /** Number of transactions since `after` that are no longer stored. */
  readonly missed: number;
  /** Argument `after` of the next call. */
  readonly next: number;
}

export const poolControl = defineControl({
  /** Adds and broadcasts a transaction; `added`: false if the pool has it. Page 05 §24.2. */
  broadcast: remotely(
    1,
    timedCommand<(transaction: EncodedTransaction) => Promise<Outcome<{ readonly added: boolean }>>>(),
  ),
  /** A transaction that stays in the pool during a scan is on exactly one page. Page 05 §24.4. */
  page: remotely(1, {
    ...query<(after?: Uint8Array) => Promise<PoolPage>>(),
    owned: ({ bytes }: PoolPage) => bytes,
  }),
  size: remotely(0, query<() => Promise<number>>()),
  /**
   * Long poll: resolves to new transactions, or to none after some seconds. The pool stores news only while callers
   * poll regularly.
   * @param after `next` of the previous answer; default: only future transactions
   */
  news: remotely(1, query<(after?: number) => Promise<PoolNews>>()),
  /** Returns the bytes of a pool transaction, with proofs. */
  transaction: remotely(1, query<(id: Uint8Array) => Promise<Uint8Array | undefined>>()),
  /** Returns the oldest pool transaction that anchors `hash` (type 15, or a value of type 22). Page 07 §18.3. */
  anchor: remotely(1, query<(hash: Uint8Array) => Promise<Uint8Array | undefined>>()),
  /** Returns the pool's effect on an account, without income. Page 05 §24.6. */
  effect: remotely(1, query<(address: Uint8Array) => Promise<AccountInfo>>()),
});
