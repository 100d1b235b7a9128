import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { bytesToWords, countShape, type EntryShape, placeShape, sortEntries, wordsToBytes } from "./entry.ts";

type Entry = readonly number[];

function sortedEntries(entries: readonly Entry[], { width, keyWidth }: EntryShape): number[] {
  const byKey = new Map<string, Entry>();
  for (const entry of entries) {
    const key = entry.slice(0, keyWidth);
    const text = key.map((word) => word.toString(16).padStart(8, "0")).join();
    const count = (byKey.get(text)?.[keyWidth] ?? 0) + (entry[keyWidth] ?? 0);
    byKey.set(text, keyWidth < width ? [...key, count >>> 0] : key);
  }
  return [...byKey]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, entry]) => entry)
    .filter((entry) => keyWidth === width || entry[keyWidth] !== 0)
    .flat();
}

function expectSorted(entries: readonly Entry[], shape: EntryShape): void {
  const words = Uint32Array.from(entries.flat());
  const before = words.slice();
  // The matcher `toEqual` takes seconds for long arrays.
  const difference = (a: Uint32Array, b: Uint32Array): number =>
    a.length === b.length ? a.findIndex((value, i) => value !== b[i]) : Math.min(a.length, b.length);
  expect(difference(sortEntries(words, shape), Uint32Array.from(sortedEntries(entries, shape)))).toBe(-1);
  expect(difference(words, before)).toBe(-1);
}

const word = fc.oneof(fc.nat(2), fc.integer({ min: 0xffff_fffe, max: 0xffff_ffff }), fc.nat());

describe("sorting entries", () => {
  it.each([
    ["places", placeShape],
    ["counts", countShape],
  ])("returns %s in order, each once, and does not change its input", (_, shape) => {
    const { width, keyWidth } = shape;
    const signed = fc.constantFrom(1, 2, 0xffff_ffff);
    const entry = fc
      .tuple(fc.array(word, { minLength: keyWidth, maxLength: keyWidth }), signed)
      .map(([key, count]) => (keyWidth < width ? [...key, count] : key));
    fc.assert(
      fc.property(fc.array(entry, { maxLength: 40 }), (entries) => expectSorted(entries, shape)),
      { numRuns: 500, seed: 1 },
    );
  });

  it("is right for entries in chain order, however many agree in the first word", () => {
    const random = new SeededRandom(2);
    for (const tags of [1, 2, 50, 20_000]) {
      const entries = Array.from({ length: 20_000 }, (_, i) => {
        const tag = random.below(tags);
        // The second word decides for every other tag.
        return [tags === 20_000 ? tag * 200_000 : tag >>> 1, (tag * 0x9e37_79b1) >>> 0, i >>> 8, i & 0xff];
      });
      expectSorted(entries, placeShape);
    }
  });
});

it("converts words to big-endian bytes and back, in any length", () => {
  for (const length of [0, 1, 63, 64, 65, 700]) {
    const words = Uint32Array.from({ length: length + 2 }, (_, i) => (i + 1) * 0x0102_0304).subarray(2);
    const bytes = wordsToBytes(words);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    expect(Array.from(words, (_, i) => view.getUint32(4 * i))).toEqual([...words]);
    expect(bytesToWords(bytes)).toEqual(words.slice());
    // Rows may begin at any offset of their buffer.
    const padded = new Uint8Array(bytes.length + 1);
    padded.set(bytes, 1);
    expect(bytesToWords(padded.subarray(1))).toEqual(words.slice());
  }
});
