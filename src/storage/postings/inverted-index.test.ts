import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { encodeHex } from "../../bytes/hex.ts";
import { Overlay } from "../batch/overlay.ts";
import { table } from "../codecs.ts";
import { unitKey } from "../keys.ts";
import type { UnitKey } from "../places.ts";
import {
  addressTag,
  type InvertedIndex,
  postingsAscending,
  postingsByHeight,
  postingsDescending,
  writePostings,
} from "./inverted-index.ts";
import { type UnitPosting, UnitPostings, unitPostingsValue } from "./unit-postings.ts";

const bytes = (maxLength: number) => fc.uint8Array({ maxLength });
/** Short keys, so that some are prefixes of others. */
const postings = (): fc.Arbitrary<UnitPosting[]> =>
  fc.uniqueArray(fc.record({ key: bytes(3), value: bytes(40) }), { selector: ({ key }) => encodeHex(key) });

describe("the postings of a unit", () => {
  test("are read back in key order, and are found", () => {
    fc.assert(
      fc.property(postings(), bytes(3), (given, other) => {
        const stored = unitPostingsValue.decode(unitPostingsValue.encode(UnitPostings.of(given)));
        expect(stored.length).toBe(given.length);
        const text = (posting: UnitPosting): string =>
          `${encodeHex(posting.key)} ${encodeHex(posting.value)}`;
        const sorted = [...given].sort((a, b) => Buffer.compare(a.key, b.key));
        expect([...stored].map(text)).toEqual(sorted.map(text));
        const visited: UnitPosting[] = [];
        stored.forEach((keyAt, valueAt, end) => {
          const { bytes: row } = stored;
          visited.push({ key: row.subarray(keyAt, valueAt), value: row.subarray(valueAt, end) });
        });
        expect(visited.map(text)).toEqual(sorted.map(text));
        for (const { key, value } of given) expect(stored.find(key)).toEqual(value);
        const known = given.find(({ key }) => Buffer.compare(key, other) === 0);
        expect(stored.find(other)).toEqual(known?.value);
      }),
    );
  });

  test("have unique keys of at most 255 bytes", () => {
    const value = new Uint8Array(0);
    const twice = [5, 5].map((byte) => ({ key: Uint8Array.of(byte), value }));
    expect(() => UnitPostings.of(twice)).toThrow(RangeError);
    expect(UnitPostings.of([{ key: new Uint8Array(255), value }]).find(new Uint8Array(255))).toEqual(value);
    expect(() => UnitPostings.of([{ key: new Uint8Array(256), value }])).toThrow(RangeError);
  });
});

test("detect any damage of their bytes", () => {
  fc.assert(
    fc.property(
      postings(),
      bytes(60),
      fc.nat(300),
      fc.integer({ min: 1, max: 255 }),
      (given, other, at, change) => {
        const { bytes: whole } = UnitPostings.of(given);
        expect(new UnitPostings(whole).isWellFormed()).toBe(true);
        for (let length = 0; length < whole.length; length++)
          expect(new UnitPostings(whole.subarray(0, length)).isWellFormed()).toBe(false);
        expect(new UnitPostings(Uint8Array.of(...whole, 0)).isWellFormed()).toBe(false);
        const changed = Uint8Array.from(whole);
        changed[at % whole.length] ^= change;
        for (const damaged of [changed, other].map((all) => new UnitPostings(all))) {
          if (!damaged.isWellFormed()) continue;
          // Keys and values may change, but the structure must not, and everything must be readable.
          const read = [...damaged].reduce((sum, { key, value }) => sum + 5 + key.length + value.length, 4);
          expect(read).toBe(damaged.bytes.length);
        }
      },
    ),
  );
});

describe("an inverted index", () => {
  const index: InvertedIndex = {
    tree: { id: 200 },
    table: table(0xf0, "testUnits", unitKey, unitPostingsValue),
    // Coarse tags: several keys share one.
    tag: (key) => new Uint8Array(8).fill((key[0] ?? 0) % 2),
  };
  const keys = [1, 2, 3, 4].map((byte) => Uint8Array.of(byte));

  test("finds all units that hold something for a key, in both directions", () => {
    fc.assert(
      fc.property(fc.array(fc.subarray(keys), { maxLength: 30 }), fc.nat(12), (units, limit) => {
        const rows = new Overlay();
        const at = (i: number): UnitKey => ({ height: 1 + Math.floor(i / 3), sequence: i % 3 });
        for (const [i, held] of units.entries())
          writePostings(
            rows,
            index,
            at(i),
            held.map((key) => ({ key, value: Uint8Array.of(i) })),
          );
        const below = { height: limit, sequence: 1 };
        for (const key of keys) {
          const all = units.flatMap((held, i) => (held.includes(key) ? [i] : []));
          const lower = all.filter((i) => {
            const { height, sequence } = at(i);
            return height < below.height || (height === below.height && sequence < below.sequence);
          });
          const expected = (list: readonly number[]) =>
            list.map((i) => ({ unit: at(i), value: Uint8Array.of(i) }));
          expect([...postingsAscending(rows, index, key)]).toEqual(expected(all));
          expect([...postingsDescending(rows, index, key)]).toEqual(expected(all.toReversed()));
          expect([...postingsDescending(rows, index, key, below)]).toEqual(expected(lower.toReversed()));
          const newest = all.filter(
            (i, n) => at(i).height < limit && at(i).height !== at(all[n + 1] ?? -1).height,
          );
          expect([...postingsByHeight(rows, index, key, limit)]).toEqual(expected(newest.toReversed()));
        }
      }),
    );
  });

  test("skips entries whose unit was undone, or holds another key now", () => {
    const rows = new Overlay();
    const value = Uint8Array.of(9);
    const [a, , b] = keys as [Uint8Array, Uint8Array, Uint8Array];
    const unit = { height: 5, sequence: 0 };
    writePostings(rows, index, unit, [{ key: a, value }]);
    rows.remove(index.table, unit);
    expect([...postingsDescending(rows, index, a)]).toEqual([]);
    const again = new Overlay(rows);
    again.put(index.table, unit, UnitPostings.of([{ key: b, value }]));
    again.addEntry(index.tree, index.tag(b), { height: 5, position: 0 });
    expect([...postingsDescending(again, index, a)]).toEqual([]);
    expect([...postingsByHeight(again, index, a, 9)]).toEqual([]);
    expect([...postingsAscending(again, index, b)]).toEqual([{ unit, value }]);
  });
});

test("the tag of an address combines its hash and its checksum", () => {
  const address = Uint8Array.from({ length: 26 }, (_, i) => i);
  expect([...addressTag(address)]).toEqual([2, 3, 4, 5, 22, 23, 24, 25]);
});
