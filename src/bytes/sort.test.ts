import fc from "fast-check";
import { expect, it } from "vitest";
import { compareBytes } from "./compare.ts";
import { sortedByKey } from "./sort.ts";

const byte = fc.constantFrom(0, 1, 0x7f, 0x80, 0xff);

it("sorts like a comparison of the keys: with equal keys, prefixes, short keys and common beginnings", () => {
  let long = 0;
  fc.assert(
    fc.property(
      fc.array(byte, { maxLength: 3 }),
      fc.array(fc.array(byte, { maxLength: 8 }), { maxLength: 200, size: "max" }),
      (prefix, ends) => {
        const items = ends.map((end, i) => ({ key: Uint8Array.of(...prefix, ...end), i }));
        const before = [...items];
        if (items.length > 100) long++;
        // The order of equal keys may differ: compare only the keys, and that each item occurs once.
        const sorted = sortedByKey(items);
        const expected = [...items].sort((a, b) => compareBytes(a.key, b.key));
        expect(sorted.map(({ key }) => key)).toEqual(expected.map(({ key }) => key));
        expect(new Set(sorted)).toEqual(new Set(items));
        expect(items).toEqual(before);
      },
    ),
    { numRuns: 200, seed: 3 },
  );
  expect(long).toBeGreaterThan(20);
});
