import { expect, test } from "vitest";
import { compareBytes } from "../../bytes/compare.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { Overlay } from "../batch/overlay.ts";
import { flushMemtable } from "./compaction.ts";
import { Memtable } from "./memtable.ts";
import { placesInTagRange } from "./tag-range.ts";

const TREE = { id: 3 };
const random = new SeededRandom(11);
const rows = new Overlay();
const entries: { readonly tag: Uint8Array; readonly place: string }[] = [];
for (let height = 1; height <= 30; height++) {
  const memtable = new Memtable();
  for (let position = 0; position < 700; position++) {
    const tag = random.bytes(8);
    memtable.add(tag, { height, position });
    entries.push({ tag, place: `${height}/${position}` });
  }
  flushMemtable(rows, TREE.id, memtable);
}

test("finds the places of all tags in a range, in every run", () => {
  for (let i = 0; i < 60; i++) {
    const [first, last] = [random.bytes(8), random.bytes(8)].sort(compareBytes);
    // Most ranges of a search are narrow.
    if (i % 2 === 0) last.set(first.subarray(0, 1));
    if (compareBytes(first, last) > 0) continue;
    const found = placesInTagRange(rows, TREE, { first, last }, 100_000);
    const expected = entries.filter(
      ({ tag }) => compareBytes(first, tag) <= 0 && compareBytes(tag, last) <= 0,
    );
    expect(new Set(found.map(({ height, position }) => `${height}/${position}`))).toEqual(
      new Set(expected.map(({ place }) => place)),
    );
  }
});

test("finds a single tag", () => {
  for (const { tag, place } of entries.slice(0, 500)) {
    const [found] = placesInTagRange(rows, TREE, { first: tag, last: tag }, 5);
    expect(`${found.height}/${found.position}`).toBe(place);
  }
});

test("reads a bounded number of entries of each run", () => {
  const all = { first: new Uint8Array(8), last: new Uint8Array(8).fill(255) };
  expect(placesInTagRange(rows, TREE, all, 2).length).toBeLessThanOrEqual(60);
});
