import { pageOf } from "../../indexes/pages.ts";
import { Queries } from "../../indexes/query-source.ts";
import { nodeListOf } from "../../indexes/transactions/query.ts";
import type { ChainTransaction, LeaseQueries, ListPage } from "../../interfaces.ts";
import { recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import type { Place } from "../../storage/places.ts";
import { definitions } from "../../transactions/index.ts";
import type { SnapshotSource } from "./source.ts";

const LEASES = definitions.filter(({ isLease }) => isLease === true).map(({ type }) => type);

export class StoredLeaseQueries extends Queries<SnapshotSource> implements LeaseQueries {
  isActive(id: Uint8Array): boolean {
    return this.source.ledger.lease(id)?.active === true;
  }

  active(address: Uint8Array, page?: ListPage): readonly ChainTransaction[] {
    const places = this.#activeOf(address, page?.after);
    return pageOf(places, page).flatMap((place) => this.source.blocks.transaction(place) ?? []);
  }

  *#activeOf(address: Uint8Array, after: ListPage["after"]): Generator<Place> {
    const { reader, context } = this.source;
    for (const place of nodeListOf(reader, address, { types: LEASES, after }, context.indexAll)) {
      const recorded = recordedAt(reader, place);
      if (recorded !== undefined && this.isActive(recorded.id)) yield place;
    }
  }
}
