/** Who makes room for a newcomer when all places of inbound connections are taken. Page 04 §25. */
import { rangeOf } from "../../bytes/ip.ts";

/** An inbound connection. Times are in ms, by a clock that nobody sets. */
export interface Seat {
  readonly host: string;
  /** When the connection began. */
  readonly since: number;
  /** What the peer has brought to our chain and pool, in points that fade: `Credit`. */
  readonly credit: number;
  /** When it brought something last, or when it was connected. */
  readonly lastCredit: number;
  /** Whether its handshake has been accepted. */
  readonly isConnected: boolean;
}

/** How long a newcomer has to bring something, ms: a key block comes in this time, or micro blocks. */
export const GRACE_MS = 60_000;
/** A node that dialled sends its handshake at once. */
const UNINTRODUCED_MS = 3_000;
/** Of all places, the share that is safe for those with most credit. For the rest newcomers compete. */
const SAFE_SHARE = 0.75;
/** Places of one address range that are safe. */
const MAX_SAFE_OF_RANGE = 2;

/** An inbound connection, and the address range that it is of. */
interface Placed<S> {
  readonly seat: S;
  readonly range: string;
}

/**
 * Chooses the connection to end, in this order: one that has not introduced itself; of the address range that has most
 * places, if it has two more than the newcomer's; one that has brought least, behind its time of grace. Peers with credit
 * are safe in three of four places, two of a range: so whoever holds places from many ranges and brings next to nothing
 * loses them, those who bring something stay, and newcomers displace each other only in the rest.
 * @param mayDisplace asked when somebody would have to go for whom there is no other reason: whether the newcomer's range
 *   has not displaced anyone lately. Otherwise those who were displaced would come back at once and displace others
 * @returns undefined when the newcomer has to go
 */
export function leastUseful<S extends Seat>(
  seats: readonly S[],
  newcomer: string,
  now: number,
  mayDisplace: () => boolean,
): S | undefined {
  const silent = seats.filter(({ isConnected, since }) => !isConnected && now - since >= UNINTRODUCED_MS);
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

/** Those who have most credit, as many as are safe. */
function safeSeats<S extends Seat>(placed: readonly Placed<S>[]): ReadonlySet<S> {
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

function leastCredited<S extends Seat>(placed: readonly Placed<S>[]): S | undefined {
  const seats = placed.map(({ seat }) => seat);
  return least(seats, ({ credit, lastCredit }) => [credit, lastCredit]);
}

/** The one of which all numbers are least, the first number first. */
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
