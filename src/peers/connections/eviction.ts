/** Who makes room for a newcomer when all places of inbound connections are taken. Page 04 §25. */
import { rangeOf } from "../../bytes/ip.ts";

/** An inbound connection. Times are in ms, by a clock that nobody sets. */
export interface Seat {
  readonly host: string;
  /** Since when it stands. */
  readonly since: number;
  /** When it last brought something that spares or adds work of the network: a block, a transaction, an answer. */
  readonly lastUse: number;
  /** Whether its handshake has been accepted. */
  readonly isConnected: boolean;
}

/** Honest nodes say something of use in this time; so long a newcomer is left in peace, too. */
const USELESS_MS = 600_000;
/** A node that dialled sends its handshake at once. */
const UNINTRODUCED_MS = 3_000;

/**
 * Chooses the connection to end: one that has not introduced itself; else one of the address range that has most places,
 * if the newcomer's range has fewer; else one that has not been of use for long. So whoever holds all places from a few
 * ranges loses them to others, and who comes from many ranges displaces nobody who is of use.
 * @returns undefined when the newcomer has to go
 */
export function leastUseful<S extends Seat>(
  seats: readonly S[],
  newcomer: string,
  now: number,
): S | undefined {
  const silent = seats.filter(({ isConnected, since }) => !isConnected && now - since >= UNINTRODUCED_MS);
  if (silent.length > 0) return earliest(silent, ({ since }) => since);
  const ranges = new Map<string, S[]>();
  for (const seat of seats) {
    const range = rangeOf(seat.host);
    ranges.set(range, [...(ranges.get(range) ?? []), seat]);
  }
  const largest = [...ranges.values()].reduce<S[]>((a, b) => (b.length > a.length ? b : a), []);
  const own = ranges.get(rangeOf(newcomer))?.length ?? 0;
  if (largest.length > own + 1) return earliest(largest, ({ lastUse }) => lastUse);
  return earliest(
    seats.filter(({ since, lastUse }) => now - Math.max(since, lastUse) >= USELESS_MS),
    ({ lastUse }) => lastUse,
  );
}

function earliest<S>(seats: readonly S[], time: (seat: S) => number): S | undefined {
  return seats.reduce<S | undefined>(
    (found, seat) => (found === undefined || time(seat) < time(found) ? seat : found),
    undefined,
  );
}
