import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergePlaces, type Place } from "./places.ts";

const place = fc.record({ height: fc.nat(6), position: fc.nat(3) });
const number = ({ height, position }: Place): number => height * 0x100 + position;

/** Unique places in order. */
function sorted(places: readonly Place[], up: boolean): Place[] {
  const byNumber = new Map(places.map((one) => [number(one), one]));
  return [...byNumber].sort(([a], [b]) => (up ? a - b : b - a)).map(([, one]) => one);
}

describe("two merged iterations", () => {
  it("have each place once, in order", () => {
    fc.assert(
      fc.property(fc.array(place), fc.array(place), fc.boolean(), (a, b, up) => {
        const merged = mergePlaces(sorted(a, up), sorted(b, up), up);
        expect([...merged]).toEqual(sorted([...a, ...b], up));
      }),
      { numRuns: 300, seed: 12 },
    );
  });

  it("are read only as far as needed", () => {
    let read = 0;
    const endless = function* (first: number): Generator<Place> {
      for (let position = first; ; position += 2) {
        read++;
        yield { height: 1, position };
      }
    };
    const seen: number[] = [];
    for (const { position } of mergePlaces(endless(0), endless(1), true)) {
      seen.push(position);
      if (seen.length === 5) break;
    }
    expect(seen).toEqual([0, 1, 2, 3, 4]);
    expect(read).toBeLessThanOrEqual(6);
  });
});
