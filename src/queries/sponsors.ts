import type { ListPosition } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

export interface SponsoredPage {
  /** Each account with its newest sponsorship. */
  readonly sponsored: readonly { readonly address: Uint8Array; readonly since: ChainTransaction }[];
  /** Undefined after the last account. */
  readonly end: ListPosition | undefined;
}

export interface SponsorQueries {
  /** Sponsors of `address`, newest first: the order in which they pay. */
  of(address: Uint8Array): readonly Uint8Array[];
  /** Costs one look-up, like `isSponsor`. */
  count(address: Uint8Array): number;
  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean;
  /** Accounts that `address` sponsors, newest first. The scan is bounded, so a page may be short. */
  sponsored(
    address: Uint8Array,
    page: { readonly after?: ListPosition | undefined; readonly limit: number },
  ): SponsoredPage;
}
