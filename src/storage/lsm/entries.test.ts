import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Place } from "../codecs.ts";
import { Memtable, mergePlaces } from "./entries.ts";

/** Tags that differ in their first word, in their second, and in what no entry keeps. */
const tags = [
  [1, 2, 3, 4, 5, 6, 7, 8],
  [1, 2, 3, 4, 5, 6, 7, 9],
  [1, 2, 3, 4, 0x85, 6, 7, 8],
  [0x81, 2, 3, 4, 5, 6, 7, 8, 9],
].map((bytes) => Uint8Array.from(bytes));

const place = fc.record({ height: fc.nat(6), position: fc.nat(3) });
const number = ({ height, position }: Place): number => height * 0x100 + position;

/** Places each once in order. */
function sorted(places: readonly Place[], up: boolean): Place[] {
  const byNumber = new Map(places.map((one) => [number(one), one]));
  return [...byNumber].sort(([a], [b]) => (up ? a - b : b - a)).map(([, one]) => one);
}

describe("entries that are not stored yet", () => {
  it("are found as they would be in a list", () => {
    const step = fc.oneof(
      { weight: 4, arbitrary: fc.record({ tag: fc.nat(3), place }) },
      { weight: 1, arbitrary: fc.record({ tag: fc.nat(3), below: fc.option(place, { nil: undefined }) }) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const pending = new Memtable();
        const model: Place[][] = tags.map(() => []);
        for (const one of steps) {
          if ("place" in one) {
            pending.add(tags[one.tag], one.place);
            model[one.tag].push(one.place);
            continue;
          }
          const { below } = one;
          const lower = model[one.tag].filter((at) => below === undefined || number(at) < number(below));
          expect([...pending.find(tags[one.tag], below)]).toEqual(sorted(lower, false));
          expect([...pending.findUp(tags[one.tag])]).toEqual(sorted(model[one.tag], true));
        }
        expect(pending.count).toBe(model.flat().length);
      }),
      { numRuns: 400, seed: 11 },
    );
  });

  it("are found among many other tags, asked for early and late", () => {
    const pending = new Memtable();
    const tag = (n: number) => Uint8Array.of(n % 3, n >>> 8, n, 0, n % 5, n >>> 8, n, 1);
    for (let round = 0; round < 3; round++) {
      for (let n = 0; n < 3_000; n++) pending.add(tag(n), { height: round, position: n });
      for (let n = 0; n < 3_000; n++) {
        const heights = [...pending.find(tag(n))].map(({ height, position }) => [height, position]);
        expect(heights).toEqual(Array.from({ length: round + 1 }, (_, i) => [round - i, n]));
      }
      expect([...pending.find(tag(3_000))]).toEqual([]);
    }
  });

  it("may be added while a walk goes on, which stays in order and misses no others", () => {
    const pending = new Memtable();
    const [tag, other] = tags;
    for (let position = 0; position < 100; position += 2) pending.add(tag, { height: 5, position });
    const seen: number[] = [];
    for (const { position } of pending.find(tag)) {
      seen.push(position);
      pending.add(tag, { height: 5, position: (position * 7) % 100 });
      for (let n = 0; n < 20; n++) pending.add(other, { height: position, position: n });
      expect([...pending.find(other)]).toHaveLength(seen.length * 20);
    }
    expect(seen).toEqual(Array.from({ length: 50 }, (_, i) => 98 - 2 * i));
    pending.add(tag, { height: 5, position: 33 });
    expect([...pending.find(tag)]).toHaveLength(51);
  });
});

describe("two walks as one", () => {
  it("have each place once, in order", () => {
    fc.assert(
      fc.property(fc.array(place), fc.array(place), fc.boolean(), (a, b, up) => {
        const merged = mergePlaces(sorted(a, up), sorted(b, up), up);
        expect([...merged]).toEqual(sorted([...a, ...b], up));
      }),
      { numRuns: 300, seed: 12 },
    );
  });

  it("are only read as far as they are asked for", () => {
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
