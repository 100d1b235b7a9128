/** The entries of a sorted run, in chunks. A whole run never changes. */
import type { Reader, Writer } from "../kv.ts";
import type { Place } from "../places.ts";
import { tables } from "../tables.ts";
import { bytesOf, ENTRY_WORDS, type EntryShape, wordsOf } from "./entry.ts";
import type { SortedRun } from "./layout.ts";
import { TAG_LENGTH } from "./tree.ts";

/** Entries of a chunk: 8 KiB, two pages, where they are places. Every chunk of a run but the last is full. */
export const CHUNK_ENTRIES = 512;

/** A run lacks a chunk: it was removed since the list of runs was read, or the store is damaged. */
export class MissingChunkError extends Error {
  override readonly name = "MissingChunkError";
  readonly run: number;
  constructor(tree: number, run: number, chunk: number) {
    super(`Run ${run} of tree ${tree} lacks chunk ${chunk}`);
    this.run = run;
  }
}

/** The runs of a tree, those that are still being made among them. */
export function sortedRunsOf(rows: Reader, tree: number): readonly SortedRun[] {
  return rows.get(tables.sortedRuns, tree) ?? [];
}

/** Whether a run can be read: it is no longer being made by compaction. */
export function isComplete({ inputs }: SortedRun): boolean {
  return inputs.length === 0;
}

/** Chunks of a run of so many entries. */
export function chunkCount(count: number): number {
  return Math.ceil(count / CHUNK_ENTRIES);
}

/** All places in a tree, whole runs one after the other: for checks. */
export function* entriesOf(rows: Reader, tree: number): Generator<{ readonly tag: bigint } & Place> {
  for (const run of sortedRunsOf(rows, tree)) {
    if (!isComplete(run)) continue;
    for (let chunk = 0; chunk < chunkCount(run.count); chunk++) {
      const words = readChunk(rows, tree, run.number, chunk);
      for (let at = 0; at < words.length; at += ENTRY_WORDS) {
        const tag = (BigInt(words[at]) << 32n) | BigInt(words[at + 1]);
        yield { tag, height: words[at + 2], position: words[at + 3] };
      }
    }
  }
}

/** Adds entries to a run as chunks from number `first` on, and the fence pointers of these. */
export function writeChunks(
  rows: Writer,
  tree: number,
  run: number,
  first: number,
  words: Uint32Array,
  { width }: EntryShape,
): void {
  if (words.length === 0) return;
  const fence = new Uint8Array(chunkCount(words.length / width) * TAG_LENGTH);
  for (let i = 0; i * TAG_LENGTH < fence.length; i++) {
    const at = i * CHUNK_ENTRIES * width;
    const bytes = bytesOf(words.subarray(at, at + CHUNK_ENTRIES * width));
    rows.insert(tables.runChunks, { tree, run, chunk: first + i }, bytes);
    fence.set(bytes.subarray(0, TAG_LENGTH), i * TAG_LENGTH);
  }
  rows.insert(tables.fencePointers, { tree, run, chunk: first }, fence);
}

/** The entries of a chunk. @throws MissingChunkError */
export function readChunkBytes(rows: Reader, tree: number, run: number, chunk: number): Uint8Array {
  const bytes = rows.get(tables.runChunks, { tree, run, chunk });
  if (bytes === undefined) throw new MissingChunkError(tree, run, chunk);
  return bytes;
}

/** The same as words. @throws MissingChunkError */
export function readChunk(rows: Reader, tree: number, run: number, chunk: number): Uint32Array {
  return wordsOf(readChunkBytes(rows, tree, run, chunk));
}

/** Removes every row of a run. */
export function removeRun(rows: Writer, tree: number, { number: run, count }: SortedRun): void {
  for (let chunk = 0; chunk < chunkCount(count); chunk++) rows.remove(tables.runChunks, { tree, run, chunk });
  const bounds = { from: { tree, run, chunk: 0 }, to: { tree, run: run + 1, chunk: 0 } };
  for (const [key] of [...rows.range(tables.fencePointers, bounds)]) rows.remove(tables.fencePointers, key);
}
