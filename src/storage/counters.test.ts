import { describe, expect, test } from "vitest";
import { encodeHex } from "../bytes/hex.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { Overlay } from "./batch/overlay.ts";
import { UnitOrderError } from "./batch/write-batch.ts";
import { allCounts, COUNTER_KEY_BYTES, CountBuffer } from "./counters.ts";
import type { Reader } from "./kv.ts";
import { flushMemtable } from "./lsm/compaction.ts";
import type { Counter } from "./lsm/counter.ts";
import { isComplete, sortedRunsOf } from "./lsm/sorted-run.ts";
import { memoryStore } from "./memory-store.ts";
import type { UnitKey } from "./places.ts";
import { counters, tables } from "./tables.ts";

const counter: Counter = counters.listedTransactions;

/** Keys with many common beginnings. */
function keyOf(number: number): Uint8Array {
  const key = new Uint8Array(COUNTER_KEY_BYTES);
  new DataView(key.buffer).setUint32(number % 3 === 0 ? 0 : 16, number);
  return key;
}

type Model = Map<string, number>;
/** Sorted by key and label. */
const nameOf = (key: Uint8Array, label: number): string => encodeHex(key) + String(label).padStart(4);

function addTo(model: Model, name: string, count: number): void {
  const sum = (model.get(name) ?? 0) + count;
  if (sum === 0) model.delete(name);
  else model.set(name, sum);
}

/** Returns all numbers of a full scan, and checks their order. */
function found(reader: Reader): Model {
  const all: Model = new Map();
  let before = "";
  let inOrder = true;
  for (const { key, label, count } of allCounts(reader, counter)) {
    const name = nameOf(key, label);
    inOrder &&= name > before;
    before = name;
    all.set(name, count);
  }
  expect(inOrder).toBe(true);
  return all;
}

function expectCounts(reader: Reader, model: Model, keys: Iterable<Uint8Array>): void {
  const all = found(reader);
  expect(all.size).toBe(model.size);
  expect([...model].filter(([name, count]) => all.get(name) !== count)).toEqual([]);
  for (const key of keys) {
    const text = encodeHex(key);
    const own = [...reader.countsOf(counter, key)].map(([label, count]) => [nameOf(key, label), count]);
    expect(own.sort()).toEqual([...model].filter(([name]) => name.startsWith(text)).sort());
  }
}

describe("a counter", () => {
  const keys = Array.from({ length: 9 }, (_, i) => keyOf(i));

  test("holds the sum over all present units, after any undoing and amending", () => {
    for (let seed = 1; seed <= 4; seed++) {
      const random = new SeededRandom(seed);
      const store = memoryStore();
      const units: { readonly key: UnitKey; readonly added: Model }[] = [];
      for (let step = 0; step < 40; step++) {
        store.write((batch) => {
          for (let n = random.below(4); n >= 0; n--) {
            const last = units.at(-1);
            if (last !== undefined && random.chance(40)) {
              batch.undoUnit(last.key);
              units.pop();
              continue;
            }
            const key = { height: (last?.key.height ?? 0) + 1, sequence: 0 };
            const added: Model = new Map();
            batch.beginUnit(key);
            for (let i = random.below(6); i > 0; i--) {
              const [of, label, count] = [random.pick(keys), random.below(3), random.below(9) - 4];
              batch.addCount(counter, of, label, count);
              addTo(added, nameOf(of, label), count);
            }
            if (random.chance(20)) batch.abandonUnit();
            else {
              batch.endUnit();
              units.push({ key, added });
            }
          }
        });
        const model: Model = new Map();
        for (const { added } of units) for (const [name, count] of added) addTo(model, name, count);
        expectCounts(store, model, keys);
      }
    }
  });

  test("stays unchanged when a unit without its counts is undone", () => {
    const store = memoryStore();
    const unit = { height: 1, sequence: 0 };
    store.write((batch) => {
      batch.beginUnit(unit);
      batch.addCount(counter, keys[1], 7, 5);
      batch.endUnit();
    });
    store.write((batch) => batch.undoUnit(unit, ({ name }) => name !== counter.name));
    expect([...store.countsOf(counter, keys[1])]).toEqual([[7, 5]]);
  });

  test("is amended in a unit, whose journal then undoes the new counts", () => {
    const store = memoryStore();
    const unit = { height: 1, sequence: 0 };
    store.write((batch) => {
      batch.beginUnit(unit);
      batch.addCount(counter, keys[1], 7, 5);
      batch.endUnit();
    });
    store.write((batch) => batch.undoUnit(unit));
    store.write((batch) => {
      batch.beginUnit(unit);
      batch.endUnit();
      batch.amendUnit(unit, [counter], () => batch.addCount(counter, keys[2], 1, 3));
      expect(() =>
        batch.amendUnit(unit, [tables.anchors], () => batch.addCount(counter, keys[2], 1, 3)),
      ).toThrow(UnitOrderError);
    });
    expect([...store.countsOf(counter, keys[1])]).toEqual([]);
  });

  test("changes only inside a unit, and is readable after the commit", () => {
    const store = memoryStore();
    store.write((batch) => {
      expect(() => batch.addCount(counter, keys[0], 0, 1)).toThrow(UnitOrderError);
      batch.beginUnit({ height: 1, sequence: 0 });
      batch.addCount(counter, keys[0], 0, 1);
      batch.endUnit();
      expect([...batch.countsOf(counter, keys[0])]).toEqual([]);
    });
    expect([...store.countsOf(counter, keys[0])]).toEqual([[0, 1]]);
  });
});

test("adds up many numbers during compaction in slices, and keeps nothing of undone ones", () => {
  const random = new SeededRandom(7);
  const rows = new Overlay();
  const model: Model = new Map();
  const keys = Array.from({ length: 20_000 }, (_, i) => keyOf(i));
  const some = keys.filter((_, i) => i % 5_000 === 0);
  const given: Uint8Array[] = [];
  let compacted = 0;
  const flush = (counts: CountBuffer): void => {
    flushMemtable(rows, counter.tree.id, counts);
  };
  for (let commit = 0; commit < 30; commit++) {
    const counts = new CountBuffer();
    for (let i = [1, 40, 3_000][commit % 3] ?? 0; i > 0; i--) {
      const [key, label, count] = [random.pick(keys), random.below(16), 1 + random.below(3)];
      counts.add(key, label, count);
      addTo(model, nameOf(key, label), count);
    }
    given.push(counts.toBytes());
    flush(counts);
    if (sortedRunsOf(rows, counter.tree.id).every(isComplete)) continue;
    if (compacted++ === 0) expectCounts(rows, model, some);
  }
  expect(compacted).toBeGreaterThan(0);
  expectCounts(rows, model, some);
  for (const bytes of given.reverse()) {
    const counts = new CountBuffer();
    counts.subtract(bytes);
    flush(counts);
  }
  expectCounts(rows, new Map(), some);
});
