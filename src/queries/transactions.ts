import type { Transaction, ValidationError } from "../transactions/index.ts";
import type { ListPage, ListPosition } from "./paging.ts";

/** A transaction with its effects in the block. Page 06 §5.4. */
export interface ChainTransaction {
  readonly transaction: Transaction;
  readonly height: number;
  /** Index in the block, from 0. */
  readonly position: number;
  readonly effectiveFee: bigint;
  /** Account that pays the fee, if it is not the sender. */
  readonly effectiveSponsor?: Uint8Array | undefined;
}

/** Selects transactions of an address. Page 06 §7.5. */
export interface AddressTransactionsQuery extends ListPage {
  /** Transaction type ids; empty: all. */
  readonly types: readonly number[];
}

/** Selects the newest transactions of the chain. */
export interface NewestTransactionsQuery {
  /** Transaction type ids; empty: all. */
  readonly types: readonly number[];
  readonly after?: Pick<ListPosition, "height" | "position"> | undefined;
  readonly limit: number;
}

/** A page of transactions, newest first. */
export interface NewestTransactions {
  readonly transactions: readonly ChainTransaction[];
  /** Position at which the scan ended; undefined if it reached the first block. */
  readonly end: Pick<ListPosition, "height" | "position"> | undefined;
}

export interface TransactionQueries {
  byId(id: Uint8Array): ChainTransaction | undefined;
  /** Returns transactions of an address, newest first. Page 06 §7.5 defines which transactions are listed. */
  ofAddress(address: Uint8Array, query: AddressTransactionsQuery): readonly ChainTransaction[];
  /** Returns transactions of the chain, newest first. A page may be short because the scan is bounded. */
  newest(query: NewestTransactionsQuery): NewestTransactions;
  /**
   * Returns the minimum fee at the current height, in units; undefined if the type has no fee rule at this height. Page
   * 05 §12.
   */
  minimumFee(transaction: Transaction): bigint | undefined;
  /** Returns the reason why the REST interface refuses this transaction before it reaches the pool. Page 05 §22.4. */
  requestRefusal(transaction: Transaction): ValidationError | undefined;
}
