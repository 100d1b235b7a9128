/** Whose fees an account pays: the state says of each account who sponsors it, not the other way round. */
import { bytesEqual, bytesKey } from "../../bytes/compare.ts";
import type { ChainTransaction, ListPlace, SponsoredPage } from "../../interfaces.ts";

/** Sponsorships that one walk looks at: where most were cancelled, the next one goes on. */
const MOST_SPONSORSHIPS = 1_000;

/** What is asked of the chain. */
interface SponsorshipSource {
  transaction(place: ListPlace): ChainTransaction | undefined;
  /** Returns true if `sponsor` sponsors the recipient. */
  isSponsor(recipient: Uint8Array, sponsor: Uint8Array): boolean;
}

/**
 * The accounts that an address sponsors now, each with the newest sponsorship that names it.
 * @param places where sponsorships stand that list the address, newest first
 */
export function sponsoredBy(
  address: Uint8Array,
  places: Iterable<ListPlace>,
  limit: number,
  source: SponsorshipSource,
): SponsoredPage {
  const sponsored: { readonly address: Uint8Array; readonly since: ChainTransaction }[] = [];
  const seen = new Set<string>();
  let end: ListPlace | undefined;
  let looked = 0;
  for (const { height, position, timestamp } of places) {
    if (sponsored.length >= limit || looked >= MOST_SPONSORSHIPS) return { sponsored, end };
    looked++;
    end = { height, position, timestamp };
    const since = source.transaction(end);
    if (since === undefined || !bytesEqual(since.transaction.senderAddress, address)) continue;
    if (!("recipient" in since.transaction) || since.transaction.recipient === undefined) continue;
    const { recipient } = since.transaction;
    const key = bytesKey(recipient);
    if (seen.has(key)) continue;
    seen.add(key);
    if (source.isSponsor(recipient, address)) sponsored.push({ address: recipient, since });
  }
  return { sponsored, end: undefined };
}
