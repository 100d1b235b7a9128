/**
 * Size-tiered compaction: merges sorted runs of similar size, so that a lookup visits few runs. Each commit merges a
 * slice, so that none waits for a whole compaction. An unfinished run lists its inputs and how much of each is
 * merged; a restart continues there.
 */
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { Writer } from "../kv.ts";
import { tables } from "../tables.ts";
import { type EntryShape, endOf, sortEntries } from "./entry.ts";
import type { SortedRun } from "./layout.ts";
import { lowestCursor, RunCursor } from "./run-cursor.ts";
import { CHUNK_ENTRIES, chunkCount, isComplete, removeRun, sortedRunsOf, writeChunks } from "./sorted-run.ts";

/** The lowest tier has runs of less than 32 entries. Each tier reaches eight times as far as the one below. */
const MIN_TIER_ENTRIES = 32;
const TIER_GROWTH = 8;
/** Runs of this tier (a million entries and more) are not merged. */
const MAX_TIER = 6;
/** Tiers of up to 2,048 entries: merging them is cheap, and a lookup visits every run. */
const SMALL_TIERS = 3;
/** Entries that each commit may merge, plus `SLICE_PER_ENTRY` for each entry that it adds. */
const SLICE = 4_096;
const SLICE_PER_ENTRY = 6;

function tierOf(count: number): number {
  let tier = 0;
  for (let limit = MIN_TIER_ENTRIES; count >= limit && tier < MAX_TIER; limit *= TIER_GROWTH) tier++;
  return tier;
}

/** Returns how many runs are merged into one. */
function fanIn(tier: number): number {
  return tier < SMALL_TIERS ? 4 : TIER_GROWTH;
}

interface Unsorted {
  readonly shape: EntryShape;
  readonly raw: Uint32Array;
  readonly count: number;
}

/** Also merges a slice. */
export function flushMemtable(rows: Writer, tree: number, memtable: Unsorted): void {
  const { shape } = memtable;
  const sorted = sortEntries(memtable.raw, shape);
  const runs = [...sortedRunsOf(rows, tree)];
  const number = nextNumber(runs);
  writeChunks(rows, tree, number, 0, sorted, shape);
  runs.push({ number, count: sorted.length / shape.width, inputs: [] });
  const allowance = SLICE + SLICE_PER_ENTRY * memtable.count;
  rows.put(tables.sortedRuns, tree, compact(rows, tree, runs, allowance, shape));
}

function nextNumber(runs: readonly SortedRun[]): number {
  return 1 + runs.reduce((most, { number }) => Math.max(most, number), 0);
}

/** Continues merges and begins those that are due. @returns the new list of runs */
function compact(
  rows: Writer,
  tree: number,
  runs: readonly SortedRun[],
  allowance: number,
  shape: EntryShape,
): readonly SortedRun[] {
  let left = allowance;
  let now = planMerges(runs);
  for (const unfinished of now.filter((run) => !isComplete(run))) {
    if (left <= 0) break;
    const after = mergeSlice(rows, tree, unfinished, now, left, shape);
    left -= after.count - unfinished.count;
    now = now.map((run) => (run.number === after.number ? after : run));
    if (!isComplete(after)) continue;
    const gone = new Set(unfinished.inputs.map(({ run }) => run));
    for (const run of now) if (gone.has(run.number)) removeRun(rows, tree, run);
    now = now.filter(({ number }) => !gone.has(number));
  }
  return now;
}

/** Adds an empty run for each full tier, with the tier's runs as its inputs. */
function planMerges(runs: readonly SortedRun[]): readonly SortedRun[] {
  const now = [...runs];
  const taken = new Set(now.flatMap(({ inputs }) => inputs.map(({ run }) => run)));
  const tiers = new Map<number, SortedRun[]>();
  for (const run of now) {
    if (!isComplete(run) || taken.has(run.number)) continue;
    const tier = tierOf(run.count);
    getOrInsert(tiers, tier, () => []).push(run);
  }
  for (const [tier, alike] of tiers) {
    if (tier === MAX_TIER || alike.length < fanIn(tier)) continue;
    const inputs = alike.map(({ number }) => ({ run: number, taken: 0 }));
    now.push({ number: nextNumber(now), count: 0, inputs });
  }
  return now;
}

/**
 * Merges up to `allowance` entries (in whole chunks) into an unfinished run. A slice never ends between equal
 * entries, which must be merged.
 */
function mergeSlice(
  rows: Writer,
  tree: number,
  into: SortedRun,
  runs: readonly SortedRun[],
  allowance: number,
  shape: EntryShape,
): SortedRun {
  const { width } = shape;
  const cursors = into.inputs.map(({ run, taken }) => {
    const count = runs.find(({ number }) => number === run)?.count ?? 0;
    return new RunCursor(rows, tree, run, { taken, count }, shape);
  });
  const room = chunkCount(Math.max(1, allowance)) * CHUNK_ENTRIES * width;
  // The additional entry begins the next slice.
  const merged = new Uint32Array(room + width);
  let length = 0;
  for (;;) {
    const least = lowestCursor(cursors);
    const after = least === undefined ? endOf(merged, length, shape) : least.appendTo(merged, length);
    if (least === undefined || after > room) {
      length = Math.min(after, room);
      break;
    }
    length = after;
    least.advance();
  }
  writeChunks(rows, tree, into.number, chunkCount(into.count), merged.subarray(0, length), shape);
  const whole = !cursors.some(({ isValid }) => isValid);
  return {
    number: into.number,
    count: into.count + length / width,
    inputs: whole ? [] : cursors.map(({ run, taken }) => ({ run, taken })),
  };
}
