/** Pairs of addresses with an association between them. Page 07 §10. */
import type { ListPage } from "./paging.ts";

/** The position of an address in the lists of those that are associated with another one. */
export interface AddressListPosition {
  readonly list: "children" | "parents";
  readonly address: Uint8Array;
}

/** The addresses that are associated with another one, each list ascending. */
export interface AssociatedAddresses {
  readonly children: readonly Uint8Array[];
  readonly parents: readonly Uint8Array[];
}

export interface AssociatedAddressQueries {
  /** All of them unless a page of both lists is asked for, children first. */
  of(address: Uint8Array, page?: ListPage<AddressListPosition>): AssociatedAddresses;
}
