import type { ListPosition } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

/** A page of accounts that an account sponsors. */
export interface SponsoredPage {
  /** The accounts, each with the transaction of its newest sponsorship. */
  readonly sponsored: readonly { readonly address: Uint8Array; readonly since: ChainTransaction }[];
  /** Position at which the scan ended; undefined if there are no more accounts. */
  readonly end: ListPosition | undefined;
}

export interface SponsorQueries {
  /** Returns the sponsors of an account, newest first. The newest pays first. */
  of(address: Uint8Array): readonly Uint8Array[];
  /** Counts the sponsors of an account with one look-up. */
  count(address: Uint8Array): number;
  /** Returns true if `sponsor` sponsors `address`. Costs one look-up. */
  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean;
  /**
   * Returns the accounts that `address` sponsors, newest sponsorship first. A page may be short because the scan is
   * bounded.
   */
  sponsored(
    address: Uint8Array,
    page: { readonly after?: ListPosition | undefined; readonly limit: number },
  ): SponsoredPage;
}
