/** Which peer to dial next. Page 04 §17.2, randomPeer. */
import type { Random } from "../../interfaces.ts";
import { formatPeerAddress, type PeerAddress } from "../peer-address.ts";
import { pickRandom, randomBelow } from "../random-choice.ts";

/** What there is to choose from. */
interface Candidates {
  /** Heard of from others, oldest first. */
  readonly unverified: readonly PeerAddress[];
  /** Were reached, or are configured. */
  readonly known: readonly PeerAddress[];
  /** Not to be dialled: our own, and those that are connected (page 04 §19). */
  readonly excluded: ReadonlySet<string>;
  isBlacklisted(host: string): boolean;
  isSuspended(address: PeerAddress): boolean;
  /** Whether any address of the host's origin is suspended. */
  isOriginSuspended(host: string): boolean;
}

/** The choice: one that was only heard of, or a known one. */
interface Candidate {
  readonly address: PeerAddress;
  readonly unverified: boolean;
}

/**
 * Chooses between the oldest one that was heard of and a random known one; undefined when there is none.
 * @param candidates `excluded` holds texts as `peerAddressText` writes them
 */
export function chooseCandidate(candidates: Candidates, random: Random): Candidate | undefined {
  const isFree = (address: PeerAddress) =>
    !candidates.excluded.has(formatPeerAddress(address)) &&
    !candidates.isBlacklisted(address.host) &&
    !candidates.isSuspended(address);
  // A peer may tell of thousands of ports of one host: a suspension of one of them delays the others too.
  const unverified = candidates.unverified.find(
    (address) => isFree(address) && !candidates.isOriginSuspended(address.host),
  );
  const known = pickRandom(random, candidates.known.filter(isFree));
  if (unverified !== undefined && (known === undefined || randomBelow(random, 2) === 0))
    return { address: unverified, unverified: true };
  return known === undefined ? undefined : { address: known, unverified: false };
}
