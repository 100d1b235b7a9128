import type { ListPage } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

export interface LeaseQueries {
  isActive(id: Uint8Array): boolean;
  /** Newest first. */
  active(address: Uint8Array, page?: ListPage): readonly ChainTransaction[];
}
