/**
 * Counters store a number for each key and label. A commit writes a sorted run of *counts*: numbers to add. Undoing a
 * unit adds its negated counts.
 */

import { lowerBound } from "../collections/binary-search.ts";
import { getU32 } from "./codecs.ts";
import type { Reader } from "./kv.ts";
import type { Counter } from "./lsm/counter.ts";
import { bytesToWords, countShape, trimmedLength, wordsToBytes } from "./lsm/entry.ts";
import { type FencePointers, firstChunkFrom } from "./lsm/fence-pointers.ts";
import type { SortedRun } from "./lsm/layout.ts";
import { MergingCursor, RunCursor } from "./lsm/run-cursor.ts";
import { CHUNK_ENTRIES, chunkCount, isComplete, readChunkBytes, sortedRunsOf } from "./lsm/sorted-run.ts";

export const COUNTER_KEY_BYTES = 20;
const KEY_WORDS = COUNTER_KEY_BYTES / 4;
const LABEL_WORD = KEY_WORDS;
const COUNT_WORD = KEY_WORDS + 1;
const { width: WIDTH } = countShape;
const COUNT_BYTES = 4 * WIDTH;

/** A number to add, or a sum other than 0. */
export interface Count {
  readonly key: Uint8Array;
  readonly label: number;
  readonly count: number;
}

export class CountBuffer {
  readonly shape = countShape;
  #words = new Uint32Array(64 * WIDTH);
  #length = 0;

  get count(): number {
    return this.#length / WIDTH;
  }

  /** A view, valid until counts are added. */
  get words(): Uint32Array {
    return this.#words.subarray(0, this.#length);
  }

  toBytes(): Uint8Array {
    return wordsToBytes(this.words);
  }

  add(key: Uint8Array, label: number, count: number): void {
    const at = this.#reserve(1);
    for (let i = 0; i < KEY_WORDS; i++) this.#words[at + i] = getU32(key, 4 * i);
    this.#words[at + LABEL_WORD] = label;
    this.#words[at + COUNT_WORD] = count;
  }

  /** Adds the negated counts of `toBytes`. */
  subtract(bytes: Uint8Array): void {
    const at = this.#reserve(bytes.length / COUNT_BYTES);
    this.#words.set(bytesToWords(bytes), at);
    for (let next = at + COUNT_WORD; next < this.#length; next += WIDTH)
      this.#words[next] = -this.#words[next];
  }

  *[Symbol.iterator](): Generator<Count> {
    for (let at = 0; at < this.#length; at += WIDTH) yield countAt(this.#words, at);
  }

  #reserve(count: number): number {
    const at = this.#length;
    this.#length += count * WIDTH;
    if (this.#length > this.#words.length) {
      const grown = new Uint32Array(Math.max(2 * this.#words.length, this.#length));
      grown.set(this.#words.subarray(0, at));
      this.#words = grown;
    }
    return at;
  }
}

/** Returns the sums over all sorted runs by label. @throws MissingChunkError if the store is damaged */
export function sumCounts(
  rows: Reader,
  fences: FencePointers,
  { tree: { id } }: Counter,
  key: Uint8Array,
): ReadonlyMap<number, number> {
  const sums = new Map<number, number>();
  const runs = sortedRunsOf(rows, id);
  fences.trim(id, runs);
  for (const run of runs)
    if (isComplete(run))
      for (const { label, count } of countsInRun(rows, fences.get(rows, id, run), id, run, key)) {
        const sum = (sums.get(label) ?? 0) + count;
        if (sum === 0) sums.delete(label);
        else sums.set(label, sum);
      }
  return sums;
}

function* countsInRun(
  rows: Reader,
  fence: Uint32Array,
  tree: number,
  run: SortedRun,
  key: Uint8Array,
): Generator<Count> {
  const chunks = chunkCount(run.count);
  if (chunks === 0) return;
  const read = (chunk: number): Uint8Array => readChunkBytes(rows, tree, run.number, chunk);
  const [high, low] = [getU32(key, 0), getU32(key, 4)];
  // Chunks with an equal fence pointer must be read, because fence pointers have only 8 bytes of a key.
  const from = firstChunkFrom(fence, high, low, false);
  const to = firstChunkFrom(fence, high, low, true);
  const first = lowerBound(from, to, (at) => compareKey(read(at), 0, key) < 0);
  // The last chunk that begins below the key may contain the key's first count.
  let chunk = Math.max(0, first - 1);
  let bytes = read(chunk);
  let at = lowerBound(0, bytes.length / COUNT_BYTES, (n) => compareKey(bytes, n, key) < 0);
  for (;;) {
    if (at === CHUNK_ENTRIES) {
      chunk++;
      if (chunk >= chunks) return;
      bytes = read(chunk);
      at = 0;
    }
    if (at >= bytes.length / COUNT_BYTES || compareKey(bytes, at, key) !== 0) return;
    yield countAt(bytesToWords(bytes.subarray(at * COUNT_BYTES, (at + 1) * COUNT_BYTES)), 0);
    at++;
  }
}

/** Yields the sum for each key and label, in ascending order. */
export function* allCounts(reader: Reader, { tree }: Counter): Generator<Count> {
  const cursors = sortedRunsOf(reader, tree.id)
    .filter(isComplete)
    .map(({ number, count }) => new RunCursor(reader, tree.id, number, { index: 0, count }, countShape));
  const merging = new MergingCursor(cursors);
  const words = new Uint32Array(2 * WIDTH);
  let length = 0;
  for (;;) {
    const { lowest } = merging;
    const nextLength =
      lowest === undefined ? trimmedLength(words, length, countShape) : lowest.appendTo(words, length);
    if (nextLength > WIDTH || (lowest === undefined && nextLength > 0)) yield countAt(words, 0);
    if (lowest === undefined) return;
    if (nextLength > WIDTH) words.copyWithin(0, WIDTH);
    length = WIDTH;
    merging.advance();
  }
}

function countAt(words: Uint32Array, at: number): Count {
  const key = wordsToBytes(words.subarray(at, at + KEY_WORDS));
  return { key, label: words[at + LABEL_WORD], count: words[at + COUNT_WORD] | 0 };
}

function compareKey(bytes: Uint8Array, index: number, key: Uint8Array): number {
  const at = index * COUNT_BYTES;
  for (let i = 0; i < COUNTER_KEY_BYTES; i++) {
    const difference = bytes[at + i] - key[i];
    if (difference !== 0) return difference;
  }
  return 0;
}
