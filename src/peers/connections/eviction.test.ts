/** Eviction when all slots are taken. */
import { describe, expect, test } from "vitest";
import { chooseEviction, type EvictionCandidate, GRACE_MS } from "./eviction.ts";

const MINUTE = 60_000;
const NOW = 100 * MINUTE;

function seat(host: string, changes: Partial<EvictionCandidate> = {}): EvictionCandidate {
  return { host, since: 0, credit: 1, lastCreditAt: NOW - MINUTE, isConnected: true, ...changes };
}
const choose = (seats: readonly EvictionCandidate[], newcomer: string, mayDisplace = true) =>
  chooseEviction(seats, newcomer, NOW, () => mayDisplace);

describe("a newcomer displaces", () => {
  test("first a connection that sent no handshake in time", () => {
    const slow = seat("10.0.0.1", { isConnected: false, since: NOW - 4_000 });
    const slower = seat("10.0.0.2", { isConnected: false, since: NOW - 5_000 });
    const fresh = seat("10.0.0.3", { isConnected: false, since: NOW - 2_000 });
    expect(choose([slow, fresh, slower, seat("10.0.0.4")], "10.0.0.9")).toBe(slower);
    expect(choose([fresh], "10.0.0.9")).toBeUndefined();
    // Silent peers do not displace each other in turns.
    expect(choose([slow, slower], "10.0.0.9", false)).toBeUndefined();
  });

  test("the least credited peer of the range with most slots, if the newcomer's range has fewer", () => {
    const seats = [
      seat("10.1.0.1", { credit: 3 }),
      seat("10.1.0.2", { credit: 0, lastCreditAt: NOW - 2 * MINUTE }),
      seat("10.1.200.3", { credit: 0, lastCreditAt: NOW - 3 * MINUTE }),
      seat("10.2.0.1", { credit: 0, lastCreditAt: NOW - 4 * MINUTE }),
      seat("10.2.0.2"),
    ];
    expect(choose(seats, "10.3.0.1", false)).toBe(seats[2]);
    // Otherwise peers would displace each other in turns.
    expect(choose(seats, "10.2.0.3", false)).toBeUndefined();
    expect(choose(seats, "10.1.0.4", false)).toBeUndefined();
    expect(choose([seat("2001:db8:1::1"), seat("2001:db8:2::1")], "10.0.0.1")).toBeDefined();
  });

  test("peers of a crowded range, of which at most two are safe by credit", () => {
    const crowd = Array.from({ length: 4 }, (_, i) => seat(`10.1.0.${i}`, { credit: 9 - i }));
    const others = Array.from({ length: 8 }, (_, i) => seat(`10.${i + 2}.0.1`));
    expect(choose([...crowd, ...others], "10.99.0.1", false)).toBe(crowd[3]);
    expect(choose([...crowd.slice(0, 3), ...others], "10.99.0.1", false)).toBe(crowd[2]);
    expect(choose([...crowd.slice(0, 2), ...others], "10.99.0.1", false)).toBeUndefined();
  });

  test("last the least credited peer after its grace period, within the displacement budget", () => {
    const poor = seat("10.1.0.1", { credit: 0, since: NOW - GRACE_MS });
    const poorer = seat("10.2.0.1", { credit: 0, lastCreditAt: NOW - 2 * MINUTE });
    const young = seat("10.3.0.1", { credit: 0, since: NOW - GRACE_MS + 1, lastCreditAt: 0 });
    expect(choose([poor, poorer, young], "10.4.0.1")).toBe(poorer);
    expect(choose([poor, poorer, young], "10.4.0.1", false)).toBeUndefined();
    expect(choose([poor, young], "10.4.0.1")).toBe(poor);
    expect(choose([young], "10.4.0.1")).toBeUndefined();
    expect(choose([], "10.4.0.1")).toBeUndefined();
    // A range does not grow at the cost of another one.
    expect(choose([poor, young], "10.3.0.9")).toBeUndefined();
    expect(choose([poor, young], "10.1.0.9")).toBe(poor);
  });

  test("none of the peers with most credit in three of four slots", () => {
    const rich = Array.from({ length: 12 }, (_, i) => seat(`10.${i}.0.1`, { credit: 20 - i }));
    expect(choose(rich, "10.99.0.1")).toBe(rich[11]);
    const some = [
      ...rich.slice(0, 9),
      ...Array.from({ length: 3 }, (_, i) => seat(`11.${i}.0.1`, { since: NOW })),
    ];
    expect(choose(some, "10.99.0.1")).toBeUndefined();
    expect(choose([...some.slice(0, 8), ...some.slice(9)], "10.99.0.1")).toBeUndefined();
    // With too few in safe slots, credit does not protect.
    const few = rich.slice(0, 3).map((one) => ({ ...one, credit: 0 }));
    expect(few).toContain(choose(few, "10.99.0.1"));
  });
});
