/** Associations between accounts. Page 05 §19. */
import type { DataEntry } from "../transactions/data-entry.ts";
import type { ListPage } from "./paging.ts";

/** An association in force. Page 05 §19, page 06 §7.14. */
export interface AssociationInfo {
  readonly sender: Uint8Array;
  readonly type: bigint;
  readonly recipient: Uint8Array;
  readonly subject?: Uint8Array | undefined;
  /** Time of the block (for the liquid block: that of the last persisted block + 1), ms. */
  readonly timestamp: bigint;
  readonly expires?: bigint | undefined;
  readonly data: readonly DataEntry[];
  /** Of the transaction from which on it is in force without a break. */
  readonly height: number;
  readonly position: number;
}

/** The position of an association among those of an account: the incoming ones follow all outgoing ones. */
export interface AssociationPlace {
  readonly list: "outgoing" | "incoming";
  readonly height: number;
  readonly position: number;
}

/** The associations of an account, each list in the order of the chain. */
export interface AssociationLists {
  readonly outgoing: readonly AssociationInfo[];
  readonly incoming: readonly AssociationInfo[];
}

export interface AssociationQueries {
  /** Those in force; all of them unless a page of both lists is asked for. */
  inForce(address: Uint8Array, page?: ListPage<AssociationPlace>): AssociationLists;
}
