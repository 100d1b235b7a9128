/** Pairs of associated addresses. Page 07 §10. */
import type { ListPage } from "./paging.ts";

/** Position in the lists of associated addresses. */
export interface AddressListPosition {
  readonly list: "children" | "parents";
  readonly address: Uint8Array;
}

/** Associated addresses of an account; both lists are ascending. */
export interface AssociatedAddresses {
  readonly children: readonly Uint8Array[];
  readonly parents: readonly Uint8Array[];
}

export interface AssociatedAddressQueries {
  /** Returns all addresses, or a page of both lists, children first. */
  of(address: Uint8Array, page?: ListPage<AddressListPosition>): AssociatedAddresses;
}
