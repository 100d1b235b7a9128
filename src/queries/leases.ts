import type { ListPage } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

export interface LeaseQueries {
  /** Takes the lease's transaction id. */
  isActive(id: Uint8Array): boolean;
  /** Active leases of an account, newest first; all or a page. */
  active(address: Uint8Array, page?: ListPage): readonly ChainTransaction[];
}
