/**
 * Entries in sorted runs. A row for each entry would dirty a page of its own once the store is large; runs are
 * written and merged from end to end, so that an entry costs the same in the millionth block as in the first.
 *
 * A commit adds one run for each index. Runs of like size are merged, in slices, each slice within a commit, so
 * that no commit waits for a whole merge. A merge in progress is a run that is not whole; it names the runs it
 * reads, and where it stopped is the end of what it has written: a restart goes on there.
 */
import { getU32, type Place } from "./codecs.ts";
import type { PendingEntries } from "./entries.ts";
import type { Reader, Writer } from "./kv.ts";
import { tables } from "./tables.ts";

/** One sorted run of entries. */
export interface RunKey {
  /** Id of the entry index. */
  readonly index: number;
  readonly run: number;
}

export interface RunRow {
  readonly count: number;
  /** The runs that are being merged into this one; empty once it is whole. Only whole runs are read. */
  readonly inputs: readonly number[];
}

/** Words (u32) of an entry: tag, tag, height, position. */
const WIDTH = 4;
const ENTRY_BYTES = 16;
/** Entries of a chunk: 8 KiB, two pages. */
const CHUNK_ENTRIES = 512;
/** Runs are alike when they are of the same class: below 32 entries, then eight times as many each. */
const SMALLEST = 32;
const GROWTH = 8;
/** Runs of this class (a million entries and more) stay as they are. */
const LAST_CLASS = 6;
/** Classes of up to 2,048 entries: merging them costs little, and a look-up visits every run. */
const SMALL_CLASSES = 3;
/** Entries that every commit may merge, beside so many for each entry that it adds. */
const SLICE = 4_096;
const SLICE_PER_ENTRY = 6;

function classOf(count: number): number {
  let size = 0;
  for (let limit = SMALLEST; count >= limit && size < LAST_CLASS; limit *= GROWTH) size++;
  return size;
}

/** So many runs of a class become one. */
function mergeAt(size: number): number {
  return size < SMALL_CLASSES ? 4 : GROWTH;
}

/** Writes the entries that a commit adds as a run, and does the commit's share of merging. */
export function addRun(rows: Writer, index: number, entries: PendingEntries): void {
  const sorted = sortEntries(entries.raw);
  const runs = runsOf(rows, index);
  const next = (runs.at(-1)?.[0].run ?? 0) + 1;
  writeChunks(rows, { index, run: next }, sorted);
  rows.put(tables.runs, { index, run: next }, { count: sorted.length / WIDTH, inputs: [] });
  mergeSlices(rows, index, SLICE + SLICE_PER_ENTRY * entries.count);
}

/** Places entered under a tag in all runs, newest first, each once. */
export function findInRuns(rows: Reader, index: number, tag: Uint8Array, below: Place | undefined): Place[] {
  const found: Place[] = [];
  for (const [{ run }, row] of runsOf(rows, index)) {
    if (row.inputs.length === 0) collect(rows, { index, run }, tag, found);
  }
  found.sort((a, b) => b.height - a.height || b.position - a.position);
  return found.filter((place, i) => {
    const before = found[i - 1];
    if (before !== undefined && before.height === place.height && before.position === place.position)
      return false;
    return (
      below === undefined ||
      place.height < below.height ||
      (place.height === below.height && place.position < below.position)
    );
  });
}

/** All entries of an index, whole runs one after the other: for checks. */
export function* entriesOf(rows: Reader, index: number): Generator<{ readonly tag: bigint } & Place> {
  for (const [key, row] of runsOf(rows, index)) {
    if (row.inputs.length > 0) continue;
    for (const words of chunksOf(rows, key, undefined)) {
      for (let at = 0; at < words.length; at += WIDTH) {
        const tag = (BigInt(words[at]) << 32n) | BigInt(words[at + 1]);
        yield { tag, height: words[at + 2], position: words[at + 3] };
      }
    }
  }
}

function runsOf(rows: Reader, index: number): [RunKey, RunRow][] {
  return [...rows.range(tables.runs, { prefix: Uint8Array.of(index) })];
}

// -------------------------------------------------------------------------------------------------- look-up

function collect(rows: Reader, key: RunKey, tag: Uint8Array, found: Place[]): void {
  const high = getU32(tag, 0);
  const low = getU32(tag, 4);
  const last = chunkKey(key, Uint32Array.of(high, low, 0xffffffff, 0xffffffff), 0);
  const to = new Uint8Array([...last, 0]);
  for (const [, bytes] of rows.scan(tables.runChunks, { from: runPrefix(key), to, reverse: true })) {
    const first = lowerBound(bytes, high, low);
    for (let at = first; at < bytes.length; at += ENTRY_BYTES) {
      if (getU32(bytes, at) !== high || getU32(bytes, at + 4) !== low) break;
      found.push({ height: getU32(bytes, at + 8), position: getU32(bytes, at + 12) });
    }
    // Only a chunk whose first entry has the tag can follow one that has it too.
    if (first > 0) return;
  }
}

/** Offset of the first entry of a chunk whose tag is not below the wanted one. */
function lowerBound(bytes: Uint8Array, high: number, low: number): number {
  let from = 0;
  let to = bytes.length / ENTRY_BYTES;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const at = middle * ENTRY_BYTES;
    const word = getU32(bytes, at);
    if (word < high || (word === high && getU32(bytes, at + 4) < low)) from = middle + 1;
    else to = middle;
  }
  return from * ENTRY_BYTES;
}

// -------------------------------------------------------------------------------------------------- merging

function mergeSlices(rows: Writer, index: number, allowance: number): void {
  let left = allowance;
  const runs = runsOf(rows, index);
  for (const [key, row] of runs) {
    if (row.inputs.length > 0 && left > 0) left -= mergeSlice(rows, key, row, left);
  }
  if (left <= 0) return;
  const taken = new Set(runs.flatMap(([, row]) => row.inputs));
  const classes = new Map<number, number[]>();
  for (const [{ run }, row] of runs) {
    if (row.inputs.length > 0 || taken.has(run)) continue;
    const size = classOf(row.count);
    classes.set(size, [...(classes.get(size) ?? []), run]);
  }
  let next = (runs.at(-1)?.[0].run ?? 0) + 1;
  for (const [size, inputs] of classes) {
    if (size === LAST_CLASS || inputs.length < mergeAt(size)) continue;
    const key = { index, run: next++ };
    const row: RunRow = { count: 0, inputs };
    rows.put(tables.runs, key, row);
    if (left > 0) left -= mergeSlice(rows, key, row, left);
  }
}

/**
 * Merges up to `allowance` entries (in whole chunks) into an unfinished run.
 * @returns entries written
 */
function mergeSlice(rows: Writer, key: RunKey, row: RunRow, allowance: number): number {
  const done = lastEntry(rows, key);
  const sources = row.inputs.map((run) => new RunCursor(rows, { index: key.index, run }, done));
  const room = Math.max(1, Math.ceil(allowance / CHUNK_ENTRIES)) * CHUNK_ENTRIES;
  const merged = new Uint32Array(room * WIDTH);
  let length = 0;
  while (length < merged.length) {
    let least: RunCursor | undefined;
    for (const source of sources)
      if (source.alive && (least === undefined || source.isBefore(least))) least = source;
    if (least === undefined) break;
    if (length === 0 || !least.equals(merged, length - WIDTH)) {
      least.copyTo(merged, length);
      length += WIDTH;
    }
    least.advance();
  }
  writeChunks(rows, key, merged.subarray(0, length));
  const count = row.count + length / WIDTH;
  if (length === merged.length) {
    for (const source of sources) source.close();
    rows.put(tables.runs, key, { count, inputs: row.inputs });
    return length / WIDTH;
  }
  rows.put(tables.runs, key, { count, inputs: [] });
  for (const run of row.inputs) removeRun(rows, { index: key.index, run });
  return length / WIDTH;
}

/** The last entry that an unfinished run holds. */
function lastEntry(rows: Reader, key: RunKey): Uint32Array | undefined {
  for (const [, bytes] of rows.scan(tables.runChunks, { ...boundsOfRun(key), reverse: true })) {
    return wordsOf(bytes.slice(bytes.length - ENTRY_BYTES));
  }
  return undefined;
}

function removeRun(rows: Writer, key: RunKey): void {
  const chunks: Uint8Array[] = [];
  for (const [chunk] of rows.scan(tables.runChunks, boundsOfRun(key))) chunks.push(chunk);
  for (const chunk of chunks) rows.remove(tables.runChunks, chunk);
  rows.remove(tables.runs, key);
}

/** Walks through the entries of a run. */
class RunCursor {
  #chunks: Iterator<Uint32Array>;
  #words: Uint32Array = new Uint32Array(0);
  #at = 0;
  alive = true;

  /** @param after the walk starts behind this entry */
  constructor(rows: Reader, key: RunKey, after: Uint32Array | undefined) {
    this.#chunks = chunksOf(rows, key, after);
    this.#load();
    while (after !== undefined && this.alive && compareEntries(this.#words, this.#at, after, 0) <= 0)
      this.advance();
  }

  advance(): void {
    this.#at += WIDTH;
    if (this.#at >= this.#words.length) this.#load();
  }

  isBefore(other: RunCursor): boolean {
    return compareEntries(this.#words, this.#at, other.#words, other.#at) < 0;
  }

  equals(words: Uint32Array, at: number): boolean {
    return compareEntries(this.#words, this.#at, words, at) === 0;
  }

  copyTo(out: Uint32Array, at: number): void {
    for (let i = 0; i < WIDTH; i++) out[at + i] = this.#words[this.#at + i];
  }

  close(): void {
    this.#chunks.return?.();
  }

  #load(): void {
    const next = this.#chunks.next();
    this.alive = next.done !== true;
    this.#words = next.done === true ? new Uint32Array(0) : next.value;
    this.#at = 0;
  }
}

// --------------------------------------------------------------------------------------------------- chunks

function writeChunks(rows: Writer, key: RunKey, words: Uint32Array): void {
  for (let at = 0; at < words.length; at += CHUNK_ENTRIES * WIDTH) {
    const chunk = words.slice(at, at + CHUNK_ENTRIES * WIDTH);
    rows.insert(tables.runChunks, chunkKey(key, chunk, 0), bytesOf(chunk));
  }
}

/** The chunks of a run, from the one that may hold what comes behind `after`. */
function* chunksOf(rows: Reader, key: RunKey, after: Uint32Array | undefined): Generator<Uint32Array> {
  const bounds = boundsOfRun(key);
  let from: Uint8Array = bounds.from;
  if (after !== undefined) {
    const to = new Uint8Array([...chunkKey(key, after, 0), 0]);
    for (const [start] of rows.scan(tables.runChunks, { from, to, reverse: true })) {
      from = start;
      break;
    }
  }
  for (const [, bytes] of rows.scan(tables.runChunks, { from, to: bounds.to })) yield wordsOf(bytes);
}

function runPrefix({ index, run }: RunKey): Uint8Array {
  return tables.runs.key.encode({ index, run });
}

function boundsOfRun({ index, run }: RunKey): { readonly from: Uint8Array; readonly to: Uint8Array } {
  return { from: runPrefix({ index, run }), to: runPrefix({ index, run: run + 1 }) };
}

function chunkKey(key: RunKey, words: Uint32Array, at: number): Uint8Array {
  const prefix = runPrefix(key);
  const out = new Uint8Array(prefix.length + ENTRY_BYTES);
  out.set(prefix);
  out.set(bytesOf(words.slice(at, at + WIDTH)), prefix.length);
  return out;
}

/** Big-endian bytes of words. */
function bytesOf(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < words.length; i++) view.setUint32(i * 4, words[i]);
  return bytes;
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.length / 4);
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let i = 0; i < words.length; i++) words[i] = view.getUint32(i * 4);
  return words;
}

function compareEntries(a: Uint32Array, atA: number, b: Uint32Array, atB: number): number {
  for (let i = 0; i < WIDTH; i++) {
    const difference = a[atA + i] - b[atB + i];
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The entries in order, each once. */
function sortEntries(words: Uint32Array): Uint32Array {
  const count = words.length / WIDTH;
  const order = new Uint32Array(count);
  for (let i = 0; i < count; i++) order[i] = i;
  order.sort((a, b) => compareEntries(words, a * WIDTH, words, b * WIDTH));
  const sorted = new Uint32Array(words.length);
  let length = 0;
  for (let i = 0; i < count; i++) {
    const at = order[i] * WIDTH;
    if (length > 0 && compareEntries(words, at, sorted, length - WIDTH) === 0) continue;
    for (let j = 0; j < WIDTH; j++) sorted[length + j] = words[at + j];
    length += WIDTH;
  }
  return sorted.subarray(0, length);
}
