import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { Overlay } from "../batch/overlay.ts";
import { sumCounts } from "../counters.ts";
import { type Bounds, type Reader, type Table, TableReader, type Writer } from "../kv.ts";
import type { Place } from "../places.ts";
import { tables } from "../tables.ts";
import { flushMemtable } from "./compaction.ts";
import type { Counter } from "./counter.ts";
import { FencePointers } from "./fence-pointers.ts";
import { findInRuns, findInRunsAscending } from "./lookup.ts";
import { Memtable } from "./memtable.ts";
import { entriesOf } from "./sorted-run.ts";
import type { LsmTree } from "./tree.ts";

const TREE = 3;

/** A tag with hashed bytes, like an id's. */
function tag(n: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.imul(n, 2_654_435_761) >>> 0);
  view.setUint32(4, n);
  return bytes;
}

function runCounts(rows: Writer): { whole: number; compacting: number; entries: number } {
  const runs = rows.get(tables.sortedRuns, TREE) ?? [];
  const whole = runs.filter(({ inputs }) => inputs.length === 0);
  return {
    whole: whole.length,
    compacting: runs.length - whole.length,
    entries: whole.reduce((sum, { count }) => sum + count, 0),
  };
}

let fences = new FencePointers();
const find = (rows: Writer, n: number, below?: Place) => [...findInRuns(rows, fences, TREE, tag(n), below)];

describe("sorted runs", () => {
  it("find every place of every tag during compaction in slices", () => {
    const rows = new Overlay();
    fences = new FencePointers();
    const random = new SeededRandom(5);
    const model = new Map<number, string[]>();
    let compacting = 0;
    let entries = 0;
    for (let height = 1; height <= 150; height++) {
      const memtable = new Memtable();
      const count = random.chance(50) ? random.below(20) : random.below(4_000);
      for (let position = 0; position < count; position++) {
        const n = random.below(50_000);
        memtable.add(tag(n), { height, position });
        // Some places are added twice, like after a rollback.
        if (random.chance(3)) memtable.add(tag(n), { height, position });
        const places = model.get(n) ?? [];
        places.push(`${height}/${position}`);
        model.set(n, places);
        entries++;
      }
      flushMemtable(rows, TREE, memtable);
      compacting += runCounts(rows).compacting;
      const counts = runCounts(rows);
      expect(counts.entries).toBe(entries);
      expect(counts.whole).toBeLessThan(40);
      for (let i = 0; i < 5; i++) {
        const n = random.below(50_000);
        const found = find(rows, n).map((place) => `${place.height}/${place.position}`);
        expect(found).toEqual([...(model.get(n) ?? [])].reverse());
      }
    }
    // Compactions took several commits and were completed.
    expect(compacting).toBeGreaterThan(3);
    for (const [n, places] of [...model].slice(0, 4_000)) {
      const found = find(rows, n).map((place) => `${place.height}/${place.position}`);
      expect(found).toEqual([...places].reverse());
    }
    expect([...entriesOf(rows, TREE)]).toHaveLength(entries);
    expect([...findInRuns(rows, fences, TREE + 1, tag(1))]).toEqual([]);
  });

  it("find all places of a tag that fills many chunks, bounded from above", () => {
    const rows = new Overlay();
    fences = new FencePointers();
    const memtable = new Memtable();
    for (let position = 0; position < 3_000; position++) {
      memtable.add(tag(1), { height: 7, position });
      if (position % 3 === 0) memtable.add(tag(2), { height: 7, position });
    }
    flushMemtable(rows, TREE, memtable);
    expect(find(rows, 1)).toHaveLength(3_000);
    expect(find(rows, 2)).toHaveLength(1_000);
    expect(find(rows, 3)).toEqual([]);
    const below = find(rows, 1, { height: 7, position: 10 });
    expect(below.map(({ position }) => position)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it("keep their inputs unchanged for running iterations", () => {
    const random = new SeededRandom(6);
    const memtable = new Memtable();
    for (let n = 0; n < 1_000; n++)
      memtable.add(random.bytes(8), { height: random.below(500), position: random.below(500) });
    const before = memtable.words.slice();
    flushMemtable(new Overlay(), TREE, memtable);
    expect(memtable.words).toEqual(before);
  });

  it("stay few when each commit adds one entry", () => {
    const rows = new Overlay();
    fences = new FencePointers();
    for (let height = 1; height <= 1_500; height++) {
      const memtable = new Memtable();
      memtable.add(tag(height), { height, position: 0 });
      flushMemtable(rows, TREE, memtable);
      expect(runCounts(rows).whole).toBeLessThan(16);
    }
    for (let height = 1; height <= 1_500; height++) {
      expect(find(rows, height)).toEqual([{ height, position: 0 }]);
    }
  });
});

/** Counts chunk reads. */
class CountingReader extends TableReader {
  chunks = 0;
  readonly #rows: Reader;

  constructor(rows: Reader) {
    super();
    this.#rows = rows;
  }

  find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    if (table.prefix === tables.runChunks.prefix) this.chunks++;
    return this.#rows.find(table, key);
  }

  scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]> {
    if (table.prefix === tables.runChunks.prefix) throw new Error("Chunks are not scanned");
    return this.#rows.scan(table, bounds);
  }

  findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place> {
    return findInRuns(this, fences, tree.id, tag, below);
  }

  findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place> {
    return findInRunsAscending(this, fences, tree.id, tag);
  }

  countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number> {
    return sumCounts(this, fences, counter, key);
  }
}

/** Returns the first few places. */
function take(places: Iterable<Place>, count: number): Place[] {
  const taken: Place[] = [];
  for (const place of places) {
    taken.push(place);
    if (taken.length === count) break;
  }
  return taken;
}

const HEIGHT = 0x1_0000;
const number = ({ height, position }: Place): number => height * HEIGHT + position;
/** As text, to compare lists of thousands quickly. */
const list = (places: Iterable<Place>): string => [...places].map(number).join();
const placeAt = (n: number): Place => ({ height: Math.floor(n / HEIGHT), position: n % HEIGHT });

describe("the entries of a hot tag", () => {
  /** Tags that differ in the last bit, and at both ends of the order. */
  const hot = [
    [0, 0, 0, 0, 0, 0, 0, 0],
    [9, 9, 9, 9, 9, 9, 9, 8],
    [9, 9, 9, 9, 9, 9, 9, 9],
    [255, 255, 255, 255, 255, 255, 255, 255],
  ].map((bytes) => Uint8Array.from(bytes));

  it("are iterated like a list, in both directions and from any place", () => {
    const stretch = fc.record({
      tag: fc.nat(3),
      height: fc.integer({ min: 1, max: 5 }),
      first: fc.nat(2_000),
      // Around the 512 entries of a chunk.
      count: fc.oneof(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 500, max: 1_600 })),
      stride: fc.integer({ min: 1, max: 3 }),
    });
    const commits = fc.array(fc.array(stretch, { maxLength: 4 }), { minLength: 1, maxLength: 12 });
    const bound = fc.record({ height: fc.nat(6), position: fc.nat(6_000) });
    fc.assert(
      fc.property(commits, fc.array(bound, { maxLength: 6 }), (given, bounds) => {
        const rows = new Overlay();
        fences = new FencePointers();
        const model = hot.map(() => new Set<number>());
        for (const stretches of given) {
          const memtable = new Memtable();
          for (const { tag, height, first, count, stride } of stretches) {
            for (let i = 0; i < count; i++) {
              const place = { height, position: first + i * stride };
              memtable.add(hot[tag], place);
              model[tag].add(number(place));
            }
          }
          flushMemtable(rows, TREE, memtable);
        }
        for (const [i, tag] of hot.entries()) {
          const up = [...model[i]].sort((a, b) => a - b);
          expect(list(findInRunsAscending(rows, fences, TREE, tag))).toBe(up.join());
          expect(list(findInRuns(rows, fences, TREE, tag))).toBe(up.toReversed().join());
          const ends = up.length === 0 ? [] : [up[0], up[up.length >>> 1], up[up.length - 1]];
          for (const below of [...bounds, ...ends.map(placeAt)]) {
            const lower = up.filter((place) => place < number(below)).reverse();
            expect(list(findInRuns(rows, fences, TREE, tag, below))).toBe(lower.join());
          }
        }
      }),
      { numRuns: 60, seed: 21 },
    );
  });

  it("are iterated correctly during compaction in slices", () => {
    const rows = new Overlay();
    fences = new FencePointers();
    const random = new SeededRandom(8);
    const model = hot.map(() => new Set<number>());
    let compacting = 0;
    for (let height = 1; height <= 120; height++) {
      const memtable = new Memtable();
      const count = random.chance(50) ? random.below(20) : random.below(4_000);
      for (let i = 0; i < count; i++) {
        const n = random.below(hot.length);
        // Heights repeat like after a rollback, partly with the same places.
        const place = { height: Math.max(1, height - random.below(3)), position: random.below(6_000) };
        memtable.add(hot[n], place);
        model[n].add(number(place));
      }
      flushMemtable(rows, TREE, memtable);
      compacting += runCounts(rows).compacting;
      const n = height % hot.length;
      const up = [...model[n]].sort((a, b) => a - b);
      expect(take(findInRunsAscending(rows, fences, TREE, hot[n]), 30).map(number)).toEqual(up.slice(0, 30));
      expect(take(findInRuns(rows, fences, TREE, hot[n]), 30).map(number)).toEqual(up.slice(-30).reverse());
      const below = { height: random.below(height + 1), position: random.below(6_000) };
      const lower = up.filter((one) => one < number(below));
      const found = take(findInRuns(rows, fences, TREE, hot[n], below), 30);
      expect(found.map(number)).toEqual(lower.slice(-30).reverse());
    }
    expect(compacting).toBeGreaterThan(3);
    for (const [n, tag] of hot.entries()) {
      const up = [...model[n]].sort((a, b) => a - b);
      expect(list(findInRunsAscending(rows, fences, TREE, tag))).toBe(up.join());
      expect(list(findInRuns(rows, fences, TREE, tag))).toBe(up.reverse().join());
    }
  });

  it("cost few chunks when few are read", () => {
    const rows = new Overlay();
    fences = new FencePointers();
    const count = 200_000;
    const memtable = new Memtable();
    for (let i = 0; i < count; i++)
      memtable.add(hot[1], { height: 10 + Math.floor(i / 100), position: i % 100 });
    memtable.add(hot[2], { height: 10, position: 0 });
    flushMemtable(rows, TREE, memtable);
    const later = new Memtable();
    for (let i = 0; i < 3; i++) later.add(hot[1], { height: 5_000, position: i });
    flushMemtable(rows, TREE, later);
    expect(runCounts(rows).whole).toBe(2);
    const reader = new CountingReader(rows);
    const tree = { id: TREE };
    const chunksOf = (walk: Iterable<Place>, expected: readonly Place[]): number => {
      reader.chunks = 0;
      expect(take(walk, 3)).toEqual(expected);
      return reader.chunks;
    };
    const places = (...list: readonly [number, number][]) =>
      list.map(([height, position]) => ({ height, position }));
    const newest = places([5_000, 2], [5_000, 1], [5_000, 0]);
    expect(chunksOf(reader.findEntries(tree, hot[1]), newest)).toBe(2);
    const oldest = places([10, 0], [10, 1], [10, 2]);
    expect(chunksOf(reader.findEntriesAscending(tree, hot[1]), oldest)).toBe(2);
    // The large run has 391 chunks: nine reads find the start.
    const middle = { height: 1_010, position: 1 };
    const before = places([1_010, 0], [1_009, 99], [1_009, 98]);
    expect(chunksOf(reader.findEntries(tree, hot[1], middle), before)).toBeLessThan(14);
    expect(chunksOf(reader.findEntries(tree, hot[1], { height: 10, position: 0 }), [])).toBeLessThan(14);
    expect(chunksOf(reader.findEntries(tree, hot[2]), places([10, 0]))).toBeLessThan(5);
    // Nothing is read before the first place is requested.
    reader.chunks = 0;
    reader.findEntries(tree, hot[1]);
    expect(reader.chunks).toBe(0);
    // A full iteration reads each chunk once.
    expect([...reader.findEntries(tree, hot[1])]).toHaveLength(count + 3);
    expect(reader.chunks).toBeLessThan(400);
  });

  it("are not skipped silently if a chunk is missing", () => {
    const rows = new Overlay();
    fences = new FencePointers();
    const memtable = new Memtable();
    for (let position = 0; position < 2_000; position++) memtable.add(hot[1], { height: 7, position });
    flushMemtable(rows, TREE, memtable);
    rows.remove(tables.runChunks, { tree: TREE, run: 1, chunk: 1 });
    const seen: number[] = [];
    const walk = () => {
      for (const { position } of findInRuns(rows, fences, TREE, hot[1])) seen.push(position);
    };
    expect(walk).toThrow("Chunk 1 of run 1 in tree 3 is missing");
    expect(seen).toHaveLength(2_000 - 1_024);
    rows.remove(tables.fencePointers, { tree: TREE, run: 1, chunk: 0 });
    fences = new FencePointers();
    expect(() => find(rows, 1)).toThrow("Chunk 0 of run 1 in tree 3 is missing");
  });
});
