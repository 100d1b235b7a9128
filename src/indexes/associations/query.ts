import type {
  AddressListPosition,
  AssociatedAddresses,
  AssociatedAddressQueries,
  ListPage,
} from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import { pageOfBoth } from "../pages.ts";
import { Queries } from "../query-source.ts";
import { pairedAddresses } from "./write.ts";

export class AssociatedAddressQuery extends Queries implements AssociatedAddressQueries {
  readonly #rows = this.source.rows("associations");

  /** Pages list children before parents. */
  of(address: Uint8Array, page?: ListPage<AddressListPosition>): AssociatedAddresses {
    const { list, address: lastAddress } = page?.after ?? {};
    const [children, parents] = pageOfBoth(
      [
        list === "associatedParents"
          ? []
          : pairedAddresses(this.#rows, tables.associationChildren, address, lastAddress),
        pairedAddresses(
          this.#rows,
          tables.associationParents,
          address,
          list === "associatedParents" ? lastAddress : undefined,
        ),
      ],
      page,
    );
    return { children, parents };
  }
}
