/** What the node is asked about its pool. */
import type { AccountInfo } from "../interfaces.ts";
import type { EncodedTransaction } from "../transactions/index.ts";
import { defineControl, typed } from "./define.ts";
import type { Outcome } from "./failure.ts";

/** A part of the pool. */
export interface PoolPage {
  /** Full bytes of transactions in pool order, one behind the other. */
  readonly bytes: Uint8Array;
  /** Where each of them ends in `bytes`. */
  readonly ends: readonly number[];
  /** Names the place behind this page; undefined when nothing stands there. */
  readonly next: Uint8Array | undefined;
}

/** Transactions that came to the pool, in the order in which they came. */
export interface PoolNews {
  /** Their full bytes, one behind the other, and where each of them ends. */
  readonly bytes: Uint8Array;
  readonly ends: readonly number[];
  /** How many came before these and are forgotten, since so many came. */
  readonly missed: number;
  /** Names the place behind these. */
  readonly next: number;
}

/** The unconfirmed transactions. A call takes a bounded piece of the node's time, however much the pool holds. */
export const poolControl = defineControl({
  /** Validates against the liquid state and puts into the pool. Page 05 §24.2; `added` is false for a known one. */
  broadcast: {
    mutates: true,
    deadline: true,
    call: typed<(transaction: EncodedTransaction) => Promise<Outcome<{ readonly added: boolean }>>>(),
  },
  /**
   * A page of the pool, in its order (page 05 §24.4). Going on from page to page gives each transaction that is there
   * the whole time exactly once; of what comes or goes meanwhile, any part.
   * `after` is `next` of the page before; the first page unless given.
   */
  page: {
    mutates: false,
    owned: ({ bytes }: PoolPage) => bytes,
    call: typed<(after?: Uint8Array) => Promise<PoolPage>>(),
  },
  /** Number of transactions. */
  size: { mutates: false, call: typed<() => Promise<number>>() },
  /**
   * What comes to the pool behind a place: answered when there is something, and with nothing after some seconds. The
   * pool keeps it for those that ask again and again. `after` is `next` of the answer before; from now on unless given.
   */
  news: { mutates: false, call: typed<(after?: number) => Promise<PoolNews>>() },
  /** Full bytes of a transaction of the pool. */
  transaction: {
    mutates: false,
    call: typed<(id: Uint8Array) => Promise<Uint8Array | undefined>>(),
  },
  /** Oldest pool transaction that anchors this hash (types 15 and 22 values). Page 07 §18.3. */
  anchor: {
    mutates: false,
    call: typed<(hash: Uint8Array) => Promise<Uint8Array | undefined>>(),
  },
  /** Pessimistic effect of the pool on an account, to be added to the chain's figures. Page 05 §24.6. */
  effect: { mutates: false, call: typed<(address: Uint8Array) => Promise<AccountInfo>>() },
});
