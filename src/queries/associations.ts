/** Associations between accounts. Page 05 §19. */
import type { Association } from "../ledger/associations.ts";
import type { ListPage } from "./paging.ts";

/** Outgoing associations come first. */
export interface AssociationPosition {
  readonly list: "outgoing" | "incoming";
  readonly height: number;
  readonly position: number;
}

/** Both lists are in chain order. */
export interface AssociationLists {
  readonly outgoing: readonly Association[];
  readonly incoming: readonly Association[];
}

export interface AssociationQueries {
  /** Neither revoked nor expired. */
  active(address: Uint8Array, page?: ListPage<AssociationPosition>): AssociationLists;
}
