import type { Transaction, ValidationError } from "../transactions/index.ts";
import type { HeightRange, ListPage, ListPosition } from "./paging.ts";

/** Page 06 §5.4. */
export interface ChainTransaction {
  readonly transaction: Transaction;
  readonly height: number;
  /** In the block. */
  readonly position: number;
  /** In 10^-8 tokens. */
  readonly effectiveFee: bigint;
  /** Undefined: the sender pays. */
  readonly effectiveSponsor?: Uint8Array | undefined;
}

/** Page 06 §7.5. */
export interface AddressTransactionsQuery extends ListPage {
  /** Type ids; empty: all. */
  readonly types: readonly number[];
}

export interface NewestTransactionsQuery extends Partial<HeightRange> {
  /** Type ids; empty: all. */
  readonly types: readonly number[];
  readonly after?: Pick<ListPosition, "height" | "position"> | undefined;
  readonly limit: number;
  /** Default: all. */
  readonly accepts?: ((found: ChainTransaction) => boolean) | undefined;
}

export interface NewestTransactions {
  readonly transactions: readonly ChainTransaction[];
  /** `after` for the next page; undefined at the end. */
  readonly end: Pick<ListPosition, "height" | "position"> | undefined;
}

export interface TransactionQueries {
  byId(id: Uint8Array): ChainTransaction | undefined;
  /** Newest first. Page 06 §7.5 defines which transactions are listed. */
  ofAddress(address: Uint8Array, query: AddressTransactionsQuery): readonly ChainTransaction[];
  /** Newest first. Pages may have fewer than `limit` entries. */
  newest(query: NewestTransactionsQuery): NewestTransactions;
  /** In 10^-8 tokens, at the current height; undefined if the type has no fee rule. Page 05 §12. */
  minimumFee(transaction: Transaction): bigint | undefined;
  /** Why the node refuses to broadcast a transaction that blocks may contain. Page 05 §22.4. */
  requestRefusal(transaction: Transaction): ValidationError | undefined;
}
