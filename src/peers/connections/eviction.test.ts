/** Who goes when all places are taken. */
import { describe, expect, test } from "vitest";
import { leastUseful, type Seat } from "./eviction.ts";

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

function seat(host: string, changes: Partial<Seat> = {}): Seat {
  return { host, since: 0, lastUse: NOW - MINUTE, isConnected: true, ...changes };
}

describe("a newcomer displaces", () => {
  test("first whoever has not introduced himself for a while", () => {
    const slow = seat("10.0.0.1", { isConnected: false, since: NOW - 4_000 });
    const slower = seat("10.0.0.2", { isConnected: false, since: NOW - 5_000 });
    const fresh = seat("10.0.0.3", { isConnected: false, since: NOW - 2_000 });
    expect(leastUseful([slow, fresh, slower, seat("10.0.0.4")], "10.0.0.9", NOW)).toBe(slower);
    expect(leastUseful([fresh], "10.0.0.9", NOW)).toBeUndefined();
  });

  test("one of the range that has most, if its own has fewer: the one that was of use longest ago", () => {
    const seats = [
      seat("10.1.0.1"),
      seat("10.1.0.2", { lastUse: NOW - 3 * MINUTE }),
      seat("10.1.200.3", { lastUse: NOW - 2 * MINUTE }),
      seat("10.2.0.1", { lastUse: NOW - 4 * MINUTE }),
      seat("10.2.0.2"),
    ];
    expect(leastUseful(seats, "10.3.0.1", NOW)).toBe(seats[1]);
    // Otherwise they would take places from each other in turns.
    expect(leastUseful(seats, "10.2.0.3", NOW)).toBeUndefined();
    expect(leastUseful(seats, "10.1.0.4", NOW)).toBeUndefined();
    expect(leastUseful([seat("2001:db8:1::1"), seat("2001:db8:2::1")], "10.0.0.1", NOW)).toBeDefined();
  });

  test("at last one that has not been of use for ten minutes", () => {
    const useless = seat("10.1.0.1", { lastUse: NOW - 11 * MINUTE });
    const moreUseless = seat("10.2.0.1", { lastUse: NOW - 12 * MINUTE });
    const young = seat("10.3.0.1", { since: NOW - MINUTE, lastUse: NOW - MINUTE });
    expect(leastUseful([useless, moreUseless, young], "10.4.0.1", NOW)).toBe(moreUseless);
    expect(leastUseful([young], "10.4.0.1", NOW)).toBeUndefined();
    expect(leastUseful([], "10.4.0.1", NOW)).toBeUndefined();
  });
});
