/** Who pays whose fees. */
import type { ListPosition } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

/** Accounts whose fees an account pays. */
export interface SponsoredPage {
  readonly sponsored: readonly { readonly address: Uint8Array; readonly since: ChainTransaction }[];
  /** Where the walk through its sponsorships ended; undefined: there are no others. */
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
   * Accounts that an account sponsors, each with the newest sponsorship that names it, from the newest on. A walk that
   * finds few ends early.
   */
  sponsored(
    address: Uint8Array,
    page: { readonly after?: ListPosition | undefined; readonly limit: number },
  ): SponsoredPage;
}
