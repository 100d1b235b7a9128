import type { ListPosition } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

export interface SponsoredPage {
  readonly sponsored: readonly { readonly address: Uint8Array; readonly since: ChainTransaction }[];
  /** Where the scan of its sponsorships ended; undefined: there are no more. */
  readonly end: ListPosition | undefined;
}

export interface SponsorQueries {
  /** Sponsors of an account, newest (first to pay) first. */
  of(address: Uint8Array): readonly Uint8Array[];
  /** Number of an account's sponsors. Costs one look-up. */
  count(address: Uint8Array): number;
  /** Returns true if `sponsor` sponsors the account. Costs one look-up. */
  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean;
  /**
   * Accounts that an account sponsors, each with the newest sponsorship that names it, newest first. A page may be
   * short because the scan is bounded.
   */
  sponsored(
    address: Uint8Array,
    page: { readonly after?: ListPosition | undefined; readonly limit: number },
  ): SponsoredPage;
}
