/** Transactions of an address by group. Page 07 §12. */
import type { ListPage } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

export interface TransactionGroupQueries {
  /** Page 07 §12.1. */
  names(): readonly string[];
  /** Newest timestamp first; undefined for an unknown group. */
  list(
    address: Uint8Array,
    group: string,
    page: ListPage,
  ): { readonly total: number; readonly transactions: readonly ChainTransaction[] } | undefined;
}
