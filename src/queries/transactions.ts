/** Transactions of the chain. */
import type { Transaction, ValidationError } from "../transactions/index.ts";
import type { ListPage, ListPosition } from "./paging.ts";

/** A transaction on the chain, with what the block did with it. Page 06 §5.4. */
export interface ChainTransaction {
  readonly transaction: Transaction;
  readonly height: number;
  /** Place in the block, from 0. */
  readonly position: number;
  readonly effectiveFee: bigint;
  /** Who paid, when that was not the sender. */
  readonly effectiveSponsor?: Uint8Array | undefined;
}

/** Which transactions of an address. Page 06 §7.5. */
export interface AddressTransactionsQuery extends ListPage {
  /** Transaction type ids; empty: all. */
  readonly types: readonly number[];
}

/** Which transactions of the chain. */
export interface NewestTransactionsQuery {
  /** Transaction type ids; empty: all. */
  readonly types: readonly number[];
  /** Only what stands before this place. */
  readonly after?: Pick<ListPosition, "height" | "position"> | undefined;
  readonly limit: number;
}

/** Transactions of the chain, newest first. */
export interface NewestTransactions {
  readonly transactions: readonly ChainTransaction[];
  /** Where the walk ended; undefined: at the first block. */
  readonly end: Pick<ListPosition, "height" | "position"> | undefined;
}

export interface TransactionQueries {
  byId(id: Uint8Array): ChainTransaction | undefined;
  /** Newest first, plain paging; which transactions are listed: page 06 §7.5. */
  ofAddress(address: Uint8Array, query: AddressTransactionsQuery): readonly ChainTransaction[];
  /** Newest first. A walk that finds few ends after a number of blocks and transactions. */
  newest(query: NewestTransactionsQuery): NewestTransactions;
  /** Minimum fee at the current height, in units; undefined for a type without a rule there. Page 05 §12. */
  minimumFee(transaction: Transaction): bigint | undefined;
  /** Why a request with this transaction is refused before the pool sees it. Page 05 §22.4. */
  requestRefusal(transaction: Transaction): ValidationError | undefined;
}
