/** Chooses the inbound connection to close for a newcomer when all slots are taken. Page 04 §25. */
import { rangeOf } from "../../bytes/ip.ts";

/** Times are monotonic, ms. */
export interface EvictionCandidate {
  readonly host: string;
  readonly since: number;
  readonly credit: number;
  /** The last contribution, else the connection. */
  readonly lastCredit: number;
  readonly isConnected: boolean;
}

/** Grace period for new peers, ms: long enough for a key block or micro blocks. */
export const GRACE_MS = 60_000;
/** Grace period for the handshake, ms: dialling nodes send it at once. */
const HANDSHAKE_GRACE_MS = 3_000;
/** Share of the slots reserved for the peers with most credit. New peers compete for the rest. */
const SAFE_SHARE = 0.75;
const MAX_SAFE_OF_RANGE = 2;

interface Placed<S> {
  readonly seat: S;
  readonly range: string;
}

/**
 * Chooses the connection to close for a newcomer, in this order:
 *
 * 1. one without a handshake after 3 s;
 * 2. one of the address range with the most slots, if it has at least two more than the newcomer's;
 * 3. the one with least credit, after `GRACE_MS`.
 *
 * The peers with most credit are safe in three of four slots, two per range. So a sender with slots from many ranges
 * that contributes little loses them, and newcomers displace each other only in the remaining slots.
 * @param mayDisplace called in cases 1 and 3: returns true if the newcomer's site and range have displaced few
 *   connections lately. Otherwise displaced peers would return at once and displace others
 * @returns undefined if the newcomer is rejected
 */
export function chooseEviction<S extends EvictionCandidate>(
  seats: readonly S[],
  newcomer: string,
  now: number,
  mayDisplace: () => boolean,
): S | undefined {
  const silent = seats.filter(({ isConnected, since }) => !isConnected && now - since >= HANDSHAKE_GRACE_MS);
  if (silent.length > 0 && mayDisplace()) return least(silent, ({ since }) => [since]);
  const own = rangeOf(newcomer);
  const placed = seats.map((seat) => ({ seat, range: rangeOf(seat.host) }));
  const sizes = new Map<string, number>();
  for (const { range } of placed) sizes.set(range, (sizes.get(range) ?? 0) + 1);
  const sizeOf = (range: string) => sizes.get(range) ?? 0;
  const safe = safeSeats(placed);
  const others = placed.filter(({ seat }) => !safe.has(seat));
  const large = others.filter(({ range }) => sizeOf(range) > sizeOf(own) + 1);
  const largest = Math.max(...large.map(({ range }) => sizeOf(range)));
  const crowded = large.filter(({ range }) => sizeOf(range) === largest);
  if (crowded.length > 0) return leastCredited(crowded);
  const idle = others.filter(
    ({ seat, range }) => now - seat.since >= GRACE_MS && (range === own || sizeOf(range) > sizeOf(own)),
  );
  return idle.length > 0 && mayDisplace() ? leastCredited(idle) : undefined;
}

/** Returns the connections that credit protects. */
function safeSeats<S extends EvictionCandidate>(placed: readonly Placed<S>[]): ReadonlySet<S> {
  const safe = new Set<S>();
  const ofRange = new Map<string, number>();
  const byCredit = placed
    .filter(({ seat }) => seat.credit > 0)
    .sort((a, b) => b.seat.credit - a.seat.credit || a.seat.since - b.seat.since);
  for (const { seat, range } of byCredit) {
    if (safe.size >= Math.floor(SAFE_SHARE * placed.length)) break;
    const before = ofRange.get(range) ?? 0;
    if (before >= MAX_SAFE_OF_RANGE) continue;
    ofRange.set(range, before + 1);
    safe.add(seat);
  }
  return safe;
}

function leastCredited<S extends EvictionCandidate>(placed: readonly Placed<S>[]): S | undefined {
  const seats = placed.map(({ seat }) => seat);
  return least(seats, ({ credit, lastCredit }) => [credit, lastCredit]);
}

function least<S>(seats: readonly S[], numbersOf: (seat: S) => readonly number[]): S | undefined {
  return [...seats].sort((a, b) => {
    const others = numbersOf(b);
    return (
      numbersOf(a)
        .map((number, i) => number - others[i])
        .find((difference) => difference !== 0) ?? 0
    );
  })[0];
}
