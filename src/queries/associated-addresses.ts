/** Page 07 §10. */
import type { ListPage } from "./paging.ts";

export interface AddressListPosition {
  readonly list: "associatedChildren" | "associatedParents";
  readonly address: Uint8Array;
}

/** Both lists are in ascending order. */
export interface AssociatedAddresses {
  readonly children: readonly Uint8Array[];
  readonly parents: readonly Uint8Array[];
}

export interface AssociatedAddressQueries {
  /** Children come first in pages. */
  of(address: Uint8Array, page?: ListPage<AddressListPosition>): AssociatedAddresses;
}
