import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Place } from "../places.ts";
import { Memtable } from "./memtable.ts";

/** Tags that differ in the first word, in the second, and only beyond the tag. */
const tags = [
  [1, 2, 3, 4, 5, 6, 7, 8],
  [1, 2, 3, 4, 5, 6, 7, 9],
  [1, 2, 3, 4, 0x85, 6, 7, 8],
  [0x81, 2, 3, 4, 5, 6, 7, 8, 9],
].map((bytes) => Uint8Array.from(bytes));

const place = fc.record({ height: fc.nat(6), position: fc.nat(3) });
const number = ({ height, position }: Place): number => height * 0x100 + position;

/** Unique places in order. */
function sorted(places: readonly Place[], up: boolean): Place[] {
  const byNumber = new Map(places.map((one) => [number(one), one]));
  return [...byNumber].sort(([a], [b]) => (up ? a - b : b - a)).map(([, one]) => one);
}

describe("buffered entries", () => {
  it("are found like in a list", () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ tag: fc.nat(3), place }) },
      { weight: 1, arbitrary: fc.record({ tag: fc.nat(3), below: fc.option(place, { nil: undefined }) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const memtable = new Memtable();
        const model: Place[][] = tags.map(() => []);
        for (const one of steps) {
          if ("place" in one) {
            memtable.add(tags[one.tag], one.place);
            model[one.tag].push(one.place);
            continue;
          }
          const { below } = one;
          const lower = model[one.tag].filter((at) => below === undefined || number(at) < number(below));
          expect([...memtable.find(tags[one.tag], below)]).toEqual(sorted(lower, false));
          expect([...memtable.findAscending(tags[one.tag])]).toEqual(sorted(model[one.tag], true));
        }
        expect(memtable.count).toBe(model.flat().length);
      }),
      { numRuns: 400, seed: 11 },
    );
  });

  it("are found among many other tags, early and late", () => {
    const memtable = new Memtable();
    const tag = (n: number) => Uint8Array.of(n % 3, n >>> 8, n, 0, n % 5, n >>> 8, n, 1);
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 3_000; n++) memtable.add(tag(n), { height: round, position: n });
      for (let n = 0; n < 3_000; n++) {
        const heights = [...memtable.find(tag(n))].map(({ height, position }) => [height, position]);
        expect(heights).toEqual(Array.from({ length: round + 1 }, (_, i) => [round - i, n]));
      }
      expect([...memtable.find(tag(3_000))]).toEqual([]);
    }
  });

  it("may be added during an iteration, which stays in order and misses no others", () => {
    const memtable = new Memtable();
    const [tag, other] = tags;
    for (let position = 0; position < 100; position += 2) memtable.add(tag, { height: 5, position });
    const seen: number[] = [];
    for (const { position } of memtable.find(tag)) {
      seen.push(position);
      memtable.add(tag, { height: 5, position: (position * 7) % 100 });
      for (let n = 0; n < 20; n++) memtable.add(other, { height: position, position: n });
      expect([...memtable.find(other)]).toHaveLength(seen.length * 20);
    }
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => 98 - 2 * i));
    memtable.add(tag, { height: 5, position: 33 });
    expect([...memtable.find(tag)]).toHaveLength(51);
  });
});
