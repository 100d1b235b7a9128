import fc from "fast-check";
import { expect, test } from "vitest";
import { Overlay } from "../../storage/batch/overlay.ts";
import { table } from "../../storage/codecs.ts";
import { unitKey } from "../../storage/keys.ts";
import { flushMemtable } from "../../storage/lsm/compaction.ts";
import { Memtable } from "../../storage/lsm/memtable.ts";
import type { UnitKey } from "../../storage/places.ts";
import { type InvertedIndex, writePostings } from "../../storage/postings/inverted-index.ts";
import { unitPostingsValue } from "../../storage/postings/unit-postings.ts";
import { tables } from "../../storage/tables.ts";
import type { Fault } from "./verify-differences.ts";
import { postingFaults } from "./verify-postings.ts";

const index: InvertedIndex = {
  tree: { id: 200 },
  table: table(0xf0, "testUnits", unitKey, unitPostingsValue),
  // Coarse and unordered: several keys have each tag.
  tag: (key) => new Uint8Array(8).fill(9 - ((key[0] ?? 0) % 3)),
};
const keys = [1, 2, 3, 4, 5].map((byte) => Uint8Array.of(byte));

/** A unit's keys, and which of their entries exist. */
const unit = fc.record({ held: fc.subarray(keys, { minLength: 1 }), entered: fc.subarray(keys) });

function unitAt(i: number): UnitKey {
  return { height: 1 + Math.floor(i / 3), sequence: i % 3 };
}

function faultsOf(stored: Overlay, expected: Overlay, atOnce?: number): { keys: string[]; total: number } {
  const faults: Fault[] = [];
  const found = postingFaults(index, stored, expected, atOnce);
  for (let next = found.next(); ; next = found.next()) {
    if (next.done === true) return { keys: faults.map(({ key }) => key), total: next.value };
    if (next.value !== undefined) faults.push(next.value);
  }
}

test("keys whose unit no entry leads to are found, however few are looked for at once", () => {
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 20 }), fc.integer({ min: 1, max: 12 }), (units, atOnce) => {
      const expected = new Overlay();
      const memtable = new Memtable();
      const missing: string[] = [];
      let total = 0;
      for (const [i, { held, entered }] of units.entries()) {
        const at = unitAt(i);
        const value = Uint8Array.of(i);
        writePostings(
          expected,
          index,
          at,
          held.map((key) => ({ key, value })),
        );
        total += held.length;
        for (const key of entered) memtable.add(index.tag(key), { height: at.height, position: at.sequence });
        const tags = entered.map((key) => index.tag(key)[0]);
        for (const key of held)
          if (!tags.includes(index.tag(key)[0]))
            missing.push(`height=${at.height} sequence=${at.sequence} key ${"123456"[key[0]]}`);
      }
      // Of reverted units, or of units that never were on the chain.
      memtable.add(index.tag(Uint8Array.of(1)), { height: 1, position: 0x1_0000 });
      memtable.add(index.tag(Uint8Array.of(2)), { height: 1, position: 7 });
      memtable.add(index.tag(Uint8Array.of(3)), { height: 100, position: 0 });
      const stored = new Overlay();
      flushMemtable(stored, index.tree.id, memtable);
      expect(faultsOf(stored, expected, atOnce)).toEqual({ keys: missing, total });
      expect(faultsOf(stored, expected)).toEqual({ keys: missing, total });
    }),
  );
});

test("a look-up that cannot be read is one fault", () => {
  const expected = new Overlay();
  const value = new Uint8Array(0);
  writePostings(
    expected,
    index,
    unitAt(0),
    keys.map((key) => ({ key, value })),
  );
  const memtable = new Memtable();
  for (const key of keys) memtable.add(index.tag(key), { height: 1, position: 0 });
  const stored = new Overlay();
  flushMemtable(stored, index.tree.id, memtable);
  expect(faultsOf(stored, expected).keys).toEqual([]);
  const [[chunk] = []] = stored.range(tables.runChunks);
  if (chunk === undefined) throw new Error("no chunk");
  stored.remove(tables.runChunks, chunk);
  expect(faultsOf(stored, expected).keys).toEqual(["lookup"]);
});
