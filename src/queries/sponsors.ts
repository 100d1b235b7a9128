import type { ListPosition } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

export interface SponsoredPage {
  /** Accounts, each with its newest sponsorship. */
  readonly sponsored: readonly { readonly address: Uint8Array; readonly since: ChainTransaction }[];
  /** Where the scan ended; undefined after the last account. */
  readonly end: ListPosition | undefined;
}

export interface SponsorQueries {
  /** Newest first, which is the order in which they pay. */
  of(address: Uint8Array): readonly Uint8Array[];
  /** Costs one look-up. */
  count(address: Uint8Array): number;
  /** Costs one look-up. */
  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean;
  /** Newest sponsorship first. A page may be short because the scan is bounded. */
  sponsored(
    address: Uint8Array,
    page: { readonly after?: ListPosition | undefined; readonly limit: number },
  ): SponsoredPage;
}
