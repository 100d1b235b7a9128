import fc from "fast-check";
import { expect, test } from "vitest";
import { encodeBase58 } from "./base58.ts";
import { rangesOfPrefix } from "./base58-prefix.ts";
import { compareBytes } from "./compare.ts";

const isIn = (bytes: Uint8Array, prefix: string): boolean =>
  rangesOfPrefix(prefix, bytes.length).some(
    ({ first, last }) => compareBytes(first, bytes) <= 0 && compareBytes(bytes, last) <= 0,
  );

test("the ranges of a prefix contain the bytes whose text begins with it, and no others", () => {
  const bytes = fc.uint8Array({ minLength: 4, maxLength: 64 }).filter(([first]) => first > 0);
  fc.assert(
    fc.property(bytes, bytes, fc.integer({ min: 1, max: 5 }), (one, other, length) => {
      const prefix = encodeBase58(one).slice(0, length);
      expect(isIn(one, prefix)).toBe(true);
      expect(isIn(other, prefix)).toBe(encodeBase58(other).startsWith(prefix));
    }),
  );
});

test("a range is small: bounds are the first and the last text", () => {
  for (const { first, last } of rangesOfPrefix("3JqB", 26)) {
    expect(encodeBase58(first).startsWith("3JqB")).toBe(true);
    expect(encodeBase58(last).startsWith("3JqB")).toBe(true);
  }
});

test.each(["", "1", "0abc", "l", "a b", "a".repeat(101)])("there is no range for %j", (prefix) => {
  expect(rangesOfPrefix(prefix, 32)).toEqual([]);
});
