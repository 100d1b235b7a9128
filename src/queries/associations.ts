/** Associations between accounts. Page 05 §19. */
import type { Association } from "../ledger/associations.ts";
import type { ListPage } from "./paging.ts";

/** The position of an association among those of an account: the incoming ones follow all outgoing ones. */
export interface AssociationPosition {
  readonly list: "outgoing" | "incoming";
  readonly height: number;
  readonly position: number;
}

/** The associations of an account, each list in the order of the chain. */
export interface AssociationLists {
  readonly outgoing: readonly Association[];
  readonly incoming: readonly Association[];
}

export interface AssociationQueries {
  /** Those in force; all of them unless a page of both lists is asked for. */
  inForce(address: Uint8Array, page?: ListPage<AssociationPosition>): AssociationLists;
}
