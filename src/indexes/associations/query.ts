/** Pairs of associated addresses. Page 07 §10.2. */
import type {
  AddressListPlace,
  AssociatedAddresses,
  AssociatedAddressQueries,
  ListPage,
} from "../../interfaces.ts";
import { tables } from "../../storage/tables.ts";
import { pageOfBoth } from "../pages.ts";
import { Queries } from "../query-source.ts";
import { secondOf } from "./write.ts";

export class AssociatedAddressQuery extends Queries implements AssociatedAddressQueries {
  readonly #rows = this.source.rows("associations");

  of(address: Uint8Array, page?: ListPage<AddressListPlace>): AssociatedAddresses {
    const { list, address: last } = page?.after ?? {};
    const [children, parents] = pageOfBoth(
      [
        list === "parents" ? [] : secondOf(this.#rows, tables.associationChildren, address, last),
        secondOf(this.#rows, tables.associationParents, address, list === "parents" ? last : undefined),
      ],
      page,
    );
    return { children, parents };
  }
}
