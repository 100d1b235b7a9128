import type { Reader, Writer } from "../kv.ts";
import type { Place } from "../places.ts";
import { tables } from "../tables.ts";
import { bytesToWords, ENTRY_WORDS, type EntryShape, wordsToBytes } from "./entry.ts";
import type { SortedRun } from "./layout.ts";
import { TAG_LENGTH } from "./tree.ts";

/** Only the last chunk of a run can have fewer entries. */
export const CHUNK_ENTRIES = 512;

/** A run was removed after the list of runs was read, or the store is damaged. */
export class MissingChunkError extends Error {
  override readonly name = "MissingChunkError";
  readonly run: number;
  constructor(tree: number, run: number, chunk: number) {
    super(`Chunk ${chunk} of run ${run} in tree ${tree} is missing`);
    this.run = run;
  }
}

/** Includes unfinished runs. */
export function sortedRunsOf(rows: Reader, tree: number): readonly SortedRun[] {
  return rows.get(tables.sortedRuns, tree) ?? [];
}

export function isComplete({ inputs }: SortedRun): boolean {
  return inputs.length === 0;
}

export function chunkCount(count: number): number {
  return Math.ceil(count / CHUNK_ENTRIES);
}

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

/** @param first number of the first chunk to write */
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
    const bytes = wordsToBytes(words.subarray(at, at + CHUNK_ENTRIES * width));
    rows.insert(tables.runChunks, { tree, run, chunk: first + i }, bytes);
    fence.set(bytes.subarray(0, TAG_LENGTH), i * TAG_LENGTH);
  }
  rows.insert(tables.fencePointers, { tree, run, chunk: first }, fence);
}

/** @throws MissingChunkError */
export function readChunkBytes(rows: Reader, tree: number, run: number, chunk: number): Uint8Array {
  const bytes = rows.get(tables.runChunks, { tree, run, chunk });
  if (bytes === undefined) throw new MissingChunkError(tree, run, chunk);
  return bytes;
}

/** Like `Reader.peek`. @throws MissingChunkError */
export function peekChunkBytes<T extends number | boolean | object>(
  rows: Reader,
  tree: number,
  run: number,
  chunk: number,
  pick: (bytes: Uint8Array) => T,
): T {
  const picked = rows.peek(tables.runChunks, { tree, run, chunk }, pick);
  if (picked === undefined) throw new MissingChunkError(tree, run, chunk);
  return picked;
}

/** @throws MissingChunkError */
export function readChunk(rows: Reader, tree: number, run: number, chunk: number): Uint32Array {
  return bytesToWords(readChunkBytes(rows, tree, run, chunk));
}

export function removeRun(rows: Writer, tree: number, { number: run, count }: SortedRun): void {
  for (let chunk = 0; chunk < chunkCount(count); chunk++) rows.remove(tables.runChunks, { tree, run, chunk });
  const bounds = { from: { tree, run, chunk: 0 }, to: { tree, run: run + 1, chunk: 0 } };
  for (const [key] of [...rows.range(tables.fencePointers, bounds)]) rows.remove(tables.fencePointers, key);
}
