/** Size-tiered compaction. Each commit merges a limited number of entries. */
import { getOrInsert } from "../../collections/get-or-insert.ts";
import type { Writer } from "../kv.ts";
import { tables } from "../tables.ts";
import { type EntryShape, sortEntries, trimmedLength } from "./entry.ts";
import type { SortedRun } from "./layout.ts";
import { MergingCursor, RunCursor } from "./run-cursor.ts";
import { CHUNK_ENTRIES, chunkCount, isComplete, removeRun, sortedRunsOf, writeChunks } from "./sorted-run.ts";

/** Runs of the lowest tier have fewer entries than this. */
const LOWEST_TIER_LIMIT = 32;
const TIER_GROWTH = 8;
/** Runs of this tier (at least 2^20 entries) are not merged. */
const MAX_TIER = 6;
/** Number of low tiers (below 2,048 entries), in which a merge needs only four runs. */
const SMALL_TIER_COUNT = 3;
/** A commit merges at most about this many entries of a tree, plus `MERGED_PER_ADDED_ENTRY` for each added entry. */
const MAX_MERGED_ENTRIES = 4_096;
const MERGED_PER_ADDED_ENTRY = 6;

function tierOf(count: number): number {
  let tier = 0;
  for (let limit = LOWEST_TIER_LIMIT; count >= limit && tier < MAX_TIER; limit *= TIER_GROWTH) tier++;
  return tier;
}

function fanIn(tier: number): number {
  return tier < SMALL_TIER_COUNT ? 4 : TIER_GROWTH;
}

interface UnsortedEntries {
  readonly shape: EntryShape;
  readonly words: Uint32Array;
  readonly count: number;
}

/** Writes entries as a sorted run, and continues the compaction. */
export function flushMemtable(rows: Writer, tree: number, memtable: UnsortedEntries): void {
  const { shape } = memtable;
  const sorted = sortEntries(memtable.words, shape);
  const runs = [...sortedRunsOf(rows, tree)];
  const number = nextNumber(runs);
  writeChunks(rows, tree, number, 0, sorted, shape);
  runs.push({ number, count: sorted.length / shape.width, inputs: [] });
  const maxEntries = MAX_MERGED_ENTRIES + MERGED_PER_ADDED_ENTRY * memtable.count;
  rows.put(tables.sortedRuns, tree, compact(rows, tree, runs, maxEntries, shape));
}

function nextNumber(runs: readonly SortedRun[]): number {
  return 1 + runs.reduce((highest, { number }) => Math.max(highest, number), 0);
}

function compact(
  rows: Writer,
  tree: number,
  runs: readonly SortedRun[],
  maxEntries: number,
  shape: EntryShape,
): readonly SortedRun[] {
  let remaining = maxEntries;
  let current = planMerges(runs);
  for (const unfinished of current.filter((run) => !isComplete(run))) {
    if (remaining <= 0) break;
    const extended = mergeSlice(rows, tree, unfinished, current, remaining, shape);
    remaining -= extended.count - unfinished.count;
    current = current.map((run) => (run.number === extended.number ? extended : run));
    if (!isComplete(extended)) continue;
    const merged = new Set(unfinished.inputs.map(({ run }) => run));
    for (const run of current) if (merged.has(run.number)) removeRun(rows, tree, run);
    current = current.filter(({ number }) => !merged.has(number));
  }
  return current;
}

function planMerges(runs: readonly SortedRun[]): readonly SortedRun[] {
  const planned = [...runs];
  const mergingRuns = new Set(planned.flatMap(({ inputs }) => inputs.map(({ run }) => run)));
  const tiers = new Map<number, SortedRun[]>();
  for (const run of planned) {
    if (!isComplete(run) || mergingRuns.has(run.number)) continue;
    const tier = tierOf(run.count);
    getOrInsert(tiers, tier, () => []).push(run);
  }
  for (const [tier, tierRuns] of tiers) {
    if (tier === MAX_TIER || tierRuns.length < fanIn(tier)) continue;
    const inputs = tierRuns.map(({ number }) => ({ run: number, mergedCount: 0 }));
    planned.push({ number: nextNumber(planned), count: 0, inputs });
  }
  return planned;
}

/**
 * Merges up to `maxEntries` entries, rounded up to whole chunks, into `target`. Never stops between
 * equal entries.
 */
function mergeSlice(
  rows: Writer,
  tree: number,
  target: SortedRun,
  runs: readonly SortedRun[],
  maxEntries: number,
  shape: EntryShape,
): SortedRun {
  const { width } = shape;
  const cursors = target.inputs.map(({ run, mergedCount }) => {
    const count = runs.find(({ number }) => number === run)?.count ?? 0;
    return new RunCursor(rows, tree, run, { index: mergedCount, count }, shape);
  });
  const merging = new MergingCursor(cursors);
  const capacity = chunkCount(Math.max(1, maxEntries)) * CHUNK_ENTRIES * width;
  const merged = new Uint32Array(capacity + width);
  let length = 0;
  for (;;) {
    const { lowest } = merging;
    const after =
      lowest === undefined ? trimmedLength(merged, length, shape) : lowest.appendTo(merged, length);
    if (lowest === undefined || after > capacity) {
      length = Math.min(after, capacity);
      break;
    }
    length = after;
    merging.advance();
  }
  writeChunks(rows, tree, target.number, chunkCount(target.count), merged.subarray(0, length), shape);
  const isDone = !cursors.some(({ isValid }) => isValid);
  return {
    number: target.number,
    count: target.count + length / width,
    inputs: isDone ? [] : cursors.map(({ run, index }) => ({ run, mergedCount: index })),
  };
}
