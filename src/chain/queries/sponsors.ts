import { Queries } from "../../indexes/query-source.ts";
import { nodeListOf } from "../../indexes/transactions/query.ts";
import type { SponsoredPage, SponsorQueries } from "../../interfaces.ts";
import { definitions } from "../../transactions/index.ts";
import type { SnapshotSource } from "./source.ts";
import { sponsoredBy } from "./sponsored.ts";

const SPONSORSHIPS = definitions
  .filter(({ groups = [] }) => groups.includes("sponsor"))
  .map(({ type }) => type);

export class StoredSponsorQueries extends Queries<SnapshotSource> implements SponsorQueries {
  of(address: Uint8Array): readonly Uint8Array[] {
    return this.source.ledger.sponsors(address);
  }

  count(address: Uint8Array): number {
    return this.source.ledger.sponsorCount(address);
  }

  isSponsor(address: Uint8Array, sponsor: Uint8Array): boolean {
    return this.source.ledger.isSponsor(address, sponsor);
  }

  sponsored(address: Uint8Array, page: Parameters<SponsorQueries["sponsored"]>[1]): SponsoredPage {
    const { reader, ledger, blocks, context } = this.source;
    const places = nodeListOf(reader, address, { types: SPONSORSHIPS, ...page }, context.indexAll);
    return sponsoredBy(address, places, page.limit, {
      transaction: (place) => blocks.transaction(place),
      isSponsor: (recipient, sponsor) => ledger.isSponsor(recipient, sponsor),
    });
  }
}
