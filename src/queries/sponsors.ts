import type { ListPosition } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

export interface SponsoredPage {
  /** Accounts, each with its newest sponsorship. */
  readonly sponsored: readonly { readonly address: Uint8Array; readonly since: ChainTransaction }[];
  /** Where the scan ended; undefined after the last account. */
  readonly end: ListPosition | undefined;
}

export interface SponsorQueries {
  /** Returns the sponsors of an account, newest first: the order in which they pay. */
  of(address: Uint8Array): readonly Uint8Array[];
  /** Costs one look-up. */
  count(address: Uint8Array): number;
  /** Costs one look-up. */
  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean;
  /** Returns the accounts that `address` sponsors, newest first. The scan is bounded, so a page may be short. */
  sponsored(
    address: Uint8Array,
    page: { readonly after?: ListPosition | undefined; readonly limit: number },
  ): SponsoredPage;
}
