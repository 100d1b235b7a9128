/** Iterations over the entries of a tag in every kind of reader. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Overlay } from "../batch/overlay.ts";
import type { Reader, Writer } from "../kv.ts";
import { memoryStore } from "../memory-store.ts";
import type { Place } from "../places.ts";
import { openStore, type Store } from "../store.ts";
import { tables } from "../tables.ts";

const HEIGHT = 0x1_0000;
const number = ({ height, position }: Place): number => height * HEIGHT + position;

const stretch = fc.record({
  tag: fc.nat(2),
  height: fc.integer({ min: 1, max: 5 }),
  first: fc.nat(30),
  count: fc.integer({ min: 1, max: 40 }),
});
type Stretch = typeof stretch extends fc.Arbitrary<infer S> ? S : never;

const bound = fc.record({ height: fc.nat(6), position: fc.nat(80) });

describe.each(["memory", "disk"])("iterations over a store (%s)", (kind) => {
  let home = "";
  let store: Store;
  beforeEach(async () => {
    home = mkdtempSync(join(tmpdir(), "holdfast-entries-"));
    store = kind === "memory" ? memoryStore() : await openStore(join(home, "store"), { network: "test" });
  });
  afterEach(async () => {
    await store.close();
    rmSync(home, { recursive: true, force: true });
  });

  it("see entries of the store, of the commit and of the layers above", () => {
    let round = 0;
    const commits = fc.array(fc.array(stretch, { maxLength: 4 }), { minLength: 1, maxLength: 8 });
    fc.assert(
      fc.property(
        commits,
        fc.array(stretch, { maxLength: 4 }),
        fc.array(stretch, { maxLength: 4 }),
        fc.array(bound, { maxLength: 4 }),
        (committed, open, above, bounds) => {
          // Each round has its own tags in the same growing tree, with compaction.
          const index = { id: 200 };
          const tags = [0, 1, 2].map((n) => Uint8Array.of(round >>> 8, round, 1, 1, 1, 1, 1, n));
          round++;
          let model = tags.map(() => new Set<number>());
          const enter = (writer: Writer, stretches: readonly Stretch[]) => {
            for (const { tag, height, first, count } of stretches) {
              for (let i = 0; i < count; i++) {
                const place = { height, position: first + i };
                writer.addEntry(index, tags[tag], place);
                model[tag].add(number(place));
              }
            }
          };
          const check = (reader: Reader) => {
            for (const [n, tag] of tags.entries()) {
              const up = [...model[n]].sort((a, b) => a - b);
              expect([...reader.findEntriesAscending(index, tag)].map(number)).toEqual(up);
              expect([...reader.findEntries(index, tag)].map(number)).toEqual(up.toReversed());
              for (const below of bounds) {
                const lower = up.filter((one) => one < number(below)).reverse();
                expect([...reader.findEntries(index, tag, below)].map(number)).toEqual(lower);
              }
            }
          };
          for (const stretches of committed) store.write((batch) => enter(batch, stretches));
          check(store);
          const snapshot = store.snapshot();
          const stored = model.map((places) => new Set(places));
          const batch = store.begin();
          enter(batch, open);
          check(batch);
          const inCommit = model.map((places) => new Set(places));
          const overlay = new Overlay(new Overlay(batch));
          enter(overlay, above);
          check(overlay);
          model = inCommit;
          store.commit(batch);
          check(store);
          model = stored;
          check(snapshot);
          snapshot.close();
          model = inCommit;
          store.read(check);
        },
      ),
      { numRuns: 40, seed: 31 },
    );
  });

  it("stay in order when compaction removes their runs", () => {
    const index = { id: 201 };
    const tag = Uint8Array.of(1, 2, 3, 4, 5, 6, 7, 8);
    const enter = (height: number, count: number) =>
      store.write((batch) => {
        for (let position = 0; position < count; position++) batch.addEntry(index, tag, { height, position });
      });
    // Three runs of several chunks each; a fourth run triggers compaction.
    for (let height = 1; height <= 3; height++) enter(height, 1_200);
    const runs = () => (store.get(tables.sortedRuns, index.id) ?? []).map(({ number }) => number);
    const before = runs();
    const expected = [...store.findEntriesAscending(index, tag)];
    expect(expected).toHaveLength(3_600);

    const [down, up] = [store.findEntries(index, tag), store.findEntriesAscending(index, tag)];
    const [seenDown, seenUp]: [Place[], Place[]] = [[], []];
    for (const place of down) {
      seenDown.push(place);
      if (seenDown.length !== 10) continue;
      for (const other of up) {
        seenUp.push(other);
        if (seenUp.length !== 10) continue;
        for (let height = 4; height <= 30; height++) enter(height, 1_200);
        if (kind === "disk") expect(runs().filter((run) => before.includes(run))).toEqual([]);
      }
    }
    expect(seenDown).toEqual(expected.toReversed());
    // Entries added above may or may not be seen.
    expect(seenUp.slice(0, 3_600)).toEqual(expected);
    const numbers = seenUp.map(number);
    expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
  });

  it("start only while their snapshot is open", () => {
    const index = { id: 202 };
    const snapshot = store.snapshot();
    expect([...snapshot.findEntries(index, new Uint8Array(8))]).toEqual([]);
    expect([...snapshot.findEntriesAscending(index, new Uint8Array(8))]).toEqual([]);
    snapshot.close();
    expect(() => [...snapshot.findEntries(index, new Uint8Array(8))]).toThrow("closed");
    expect(() => [...snapshot.findEntriesAscending(index, new Uint8Array(8))]).toThrow("closed");
  });
});
