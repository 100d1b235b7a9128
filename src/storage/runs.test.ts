import { describe, expect, it } from "vitest";
import { SeededRandom } from "../testing/seeded-random.ts";
import type { Place } from "./codecs.ts";
import { PendingEntries } from "./entries.ts";
import type { Writer } from "./kv.ts";
import { Overlay } from "./overlay.ts";
import { addRun, entriesOf, findInRuns, RunFences } from "./runs.ts";
import { tables } from "./tables.ts";

const INDEX = 3;

/** A tag whose bytes hash like an id's. */
function tag(n: number): Uint8Array {
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, Math.imul(n, 2_654_435_761) >>> 0);
  view.setUint32(4, n);
  return bytes;
}

function runCounts(rows: Writer): { whole: number; merging: number; entries: number } {
  const runs = rows.get(tables.runs, INDEX) ?? [];
  const whole = runs.filter(({ inputs }) => inputs.length === 0);
  return {
    whole: whole.length,
    merging: runs.length - whole.length,
    entries: whole.reduce((sum, { count }) => sum + count, 0),
  };
}

let fences = new RunFences();
const find = (rows: Writer, n: number, below?: Place) => [...findInRuns(rows, fences, INDEX, tag(n), below)];

describe("sorted runs", () => {
  it("find every place of every tag while they are merged in slices", () => {
    const rows = new Overlay();
    fences = new RunFences();
    const random = new SeededRandom(5);
    const model = new Map<number, string[]>();
    let merging = 0;
    let entries = 0;
    for (let height = 1; height <= 150; height++) {
      const pending = new PendingEntries();
      const count = random.chance(50) ? random.below(20) : random.below(4_000);
      for (let position = 0; position < count; position++) {
        const n = random.below(50_000);
        pending.add(tag(n), { height, position });
        // Some places come twice, as when a block is applied again after a rollback.
        if (random.chance(3)) pending.add(tag(n), { height, position });
        const places = model.get(n) ?? [];
        places.push(`${height}/${position}`);
        model.set(n, places);
        entries++;
      }
      addRun(rows, INDEX, pending);
      merging += runCounts(rows).merging;
      const counts = runCounts(rows);
      expect(counts.entries).toBe(entries);
      expect(counts.whole).toBeLessThan(40);
      for (let i = 0; i < 5; i++) {
        const n = random.below(50_000);
        const found = find(rows, n).map((place) => `${place.height}/${place.position}`);
        expect(found).toEqual([...(model.get(n) ?? [])].reverse());
      }
    }
    // Merges took several commits, and were not left lying.
    expect(merging).toBeGreaterThan(3);
    for (const [n, places] of [...model].slice(0, 4_000)) {
      const found = find(rows, n).map((place) => `${place.height}/${place.position}`);
      expect(found).toEqual([...places].reverse());
    }
    expect([...entriesOf(rows, INDEX)]).toHaveLength(entries);
    expect([...findInRuns(rows, fences, INDEX + 1, tag(1))]).toEqual([]);
  });

  it("find all places of a tag that fills many chunks, bounded from above", () => {
    const rows = new Overlay();
    fences = new RunFences();
    const pending = new PendingEntries();
    for (let position = 0; position < 3_000; position++) {
      pending.add(tag(1), { height: 7, position });
      if (position % 3 === 0) pending.add(tag(2), { height: 7, position });
    }
    addRun(rows, INDEX, pending);
    expect(find(rows, 1)).toHaveLength(3_000);
    expect(find(rows, 2)).toHaveLength(1_000);
    expect(find(rows, 3)).toEqual([]);
    const below = find(rows, 1, { height: 7, position: 10 });
    expect(below.map(({ position }) => position)).toEqual([9, 8, 7, 6, 5, 4, 3, 2, 1, 0]);
  });

  it("keep the number of runs small when commits bring an entry each", () => {
    const rows = new Overlay();
    fences = new RunFences();
    for (let height = 1; height <= 1_500; height++) {
      const pending = new PendingEntries();
      pending.add(tag(height), { height, position: 0 });
      addRun(rows, INDEX, pending);
      expect(runCounts(rows).whole).toBeLessThan(16);
    }
    for (let height = 1; height <= 1_500; height++) {
      expect(find(rows, height)).toEqual([{ height, position: 0 }]);
    }
  });
});
