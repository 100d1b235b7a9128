import { pageOfBoth } from "../../indexes/pages.ts";
import { Queries } from "../../indexes/query-source.ts";
import type {
  AssociationLists,
  AssociationPosition,
  AssociationQueries,
  ListPage,
} from "../../interfaces.ts";
import { type Association, type AssociationReader, associationsOf } from "../../ledger/associations.ts";
import type { SnapshotSource } from "./source.ts";

export class StoredAssociationQueries extends Queries<SnapshotSource> implements AssociationQueries {
  active(address: Uint8Array, page?: ListPage<AssociationPosition>): AssociationLists {
    const source = this.source;
    const { ledger } = source;
    const reader: AssociationReader = {
      height: ledger.height,
      persistedHeight: ledger.persistedHeight,
      associations: ledger.associations.bind(ledger),
      blockFacts: ledger.blockFacts.bind(ledger),
      transaction: source.transactionById.bind(source),
    };
    const listed = (list: AssociationPosition["list"]): readonly Association[] =>
      associationsAfter(list, associationsOf(reader, address, list), page?.after);
    const [outgoing, incoming] = pageOfBoth([listed("outgoing"), listed("incoming")], page);
    return { outgoing, incoming };
  }
}

function associationsAfter(
  list: AssociationPosition["list"],
  associations: readonly Association[],
  after: AssociationPosition | undefined,
): readonly Association[] {
  if (after === undefined || (after.list === "outgoing" && list === "incoming")) return associations;
  if (after.list !== list) return [];
  return associations.filter(({ height, position }) => {
    return height > after.height || (height === after.height && position > after.position);
  });
}
