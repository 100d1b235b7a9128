/** Finds sponsored accounts by sponsorship transactions. */
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import { Queries } from "../../indexes/query-source.ts";
import { nodeListOf } from "../../indexes/transactions/query.ts";
import type { ChainTransaction, ListPosition, SponsoredPage, SponsorQueries } from "../../interfaces.ts";
import type { LedgerView } from "../../ledger/state.ts";
import { definitions } from "../../transactions/index.ts";
import type { SnapshotSource } from "./source.ts";
import type { StoredBlockReader } from "./stored-blocks.ts";

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
    const { reader, context } = this.source;
    const places = nodeListOf(reader, address, { types: SPONSORSHIPS, ...page }, context.indexAll);
    return sponsoredBy(address, places, page.limit, this.source);
  }
}

const MAX_SPONSORSHIPS_PER_PAGE = 1_000;

interface SponsorshipSource {
  readonly blocks: Pick<StoredBlockReader, "transaction">;
  readonly ledger: Pick<LedgerView, "isSponsor">;
}

/**
 * Returns each sponsored account with its newest sponsorship.
 * @param places sponsorships that list the address, newest first
 */
export function sponsoredBy(
  address: Uint8Array,
  places: Iterable<ListPosition>,
  limit: number,
  { blocks, ledger }: SponsorshipSource,
): SponsoredPage {
  const sponsored: { readonly address: Uint8Array; readonly since: ChainTransaction }[] = [];
  const seen = new Set<string>();
  let end: ListPosition | undefined;
  let transactionsRead = 0;
  for (const { height, position, timestamp } of places) {
    if (sponsored.length >= limit || transactionsRead >= MAX_SPONSORSHIPS_PER_PAGE) return { sponsored, end };
    transactionsRead++;
    end = { height, position, timestamp };
    const since = blocks.transaction(end);
    if (since === undefined || !bytesEqual(since.transaction.senderAddress, address)) continue;
    if (!("recipient" in since.transaction) || since.transaction.recipient === undefined) continue;
    const { recipient } = since.transaction;
    const key = bytesKey(recipient);
    if (seen.has(key)) continue;
    seen.add(key);
    if (ledger.isSponsor(recipient, address)) sponsored.push({ address: recipient, since });
  }
  return { sponsored, end: undefined };
}
