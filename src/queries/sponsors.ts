import type { ListPosition } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

export interface SponsoredPage {
  readonly sponsored: readonly { readonly address: Uint8Array; readonly since: ChainTransaction }[];
  /** Where the scan ended; undefined: there are no more. */
  readonly end: ListPosition | undefined;
}

export interface SponsorQueries {
  /** Sponsors of an account, newest (first to pay) first. */
  of(address: Uint8Array): readonly Uint8Array[];
  /** Costs one look-up. */
  count(address: Uint8Array): number;
  /** Costs one look-up. */
  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean;
  /**
   * Sponsored accounts, each with its newest sponsorship, newest first. A page may be short because the scan is
   * bounded.
   */
  sponsored(
    address: Uint8Array,
    page: { readonly after?: ListPosition | undefined; readonly limit: number },
  ): SponsoredPage;
}
