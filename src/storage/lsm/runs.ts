/**
 * Entries in sorted runs. A row for each entry would dirty a page of its own once the store is large; runs are
 * written and merged from end to end, so that an entry costs the same in the millionth block as in the first.
 *
 * A commit adds one run for each index. Runs of like size are merged, in slices, each slice within a commit, so
 * that no commit waits for a whole merge. A merge in progress is a run that still has inputs, with how much of
 * each is taken: a restart goes on there. A whole run never changes, and its number is never given again.
 */
import { getU32, type Place, putU32 } from "../codecs.ts";
import type { Reader, Writer } from "../kv.ts";
import { tables } from "../tables.ts";
import type { Memtable } from "./entries.ts";

/** A run that is being merged into another one. */
export interface RunInput {
  readonly run: number;
  /** Entries of it that are merged. */
  readonly taken: number;
}

/** One sorted run of entries. */
export interface Run {
  readonly run: number;
  readonly count: number;
  /** What is being merged into it; empty once it is whole. Only whole runs are read. */
  readonly inputs: readonly RunInput[];
}

/** Part of a run: `part` counts its chunks. */
export interface RunPartKey {
  /** Id of the entry index. */
  readonly index: number;
  readonly run: number;
  readonly part: number;
}

/** Words (u32) of an entry: tag, tag, height, position. */
const WIDTH = 4;
const ENTRY_BYTES = 16;
const TAG_BYTES = 8;
/** Entries of a chunk: 8 KiB, two pages. Every chunk of a run but the last is full. */
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
export function flushMemtable(rows: Writer, index: number, entries: Memtable): void {
  const sorted = sortEntries(entries.raw);
  const runs = [...(rows.get(tables.runs, index) ?? [])];
  const run = nextRun(runs);
  writeChunks(rows, index, run, 0, sorted);
  runs.push({ run, count: sorted.length / WIDTH, inputs: [] });
  const merged = merge(rows, index, runs, SLICE + SLICE_PER_ENTRY * entries.count);
  rows.put(tables.runs, index, merged);
}

/** The first tag of each chunk of whole runs, kept in memory: they never change. One for each open store. */
export class FencePointers {
  readonly #fences = new Map<string, Uint32Array>();

  /**
   * First tags (two words each) of the chunks of a run.
   * @throws MissingChunkError when the run is not there
   */
  of(rows: Reader, index: number, { run, count }: Run): Uint32Array {
    const name = `${index}/${run}`;
    let fence = this.#fences.get(name);
    if (fence === undefined) {
      fence = new Uint32Array(chunksIn(count) * 2);
      let length = 0;
      const bounds = { from: { index, run, part: 0 }, to: { index, run: run + 1, part: 0 } };
      for (const [{ part }, bytes] of rows.range(tables.runFences, bounds)) {
        if (part * 2 !== length || length + bytes.length / 4 > fence.length) break;
        fence.set(wordsOf(bytes), length);
        length += bytes.length / 4;
      }
      if (length < fence.length) throw new MissingChunkError(index, run, length / 2);
      this.#fences.set(name, fence);
    }
    return fence;
  }

  /** Forgets runs that are no longer there, once they are many. */
  trim(index: number, runs: readonly Run[]): void {
    if (this.#fences.size < 64 + 4 * runs.length) return;
    const present = new Set(runs.map(({ run }) => `${index}/${run}`));
    for (const name of this.#fences.keys()) {
      if (name.startsWith(`${index}/`) && !present.has(name)) this.#fences.delete(name);
    }
  }
}

/** A run lacks a part: it was removed since the list of runs was read, or the store is damaged. */
export class MissingChunkError extends Error {
  override readonly name = "MissingChunkError";
  readonly run: number;
  constructor(index: number, run: number, part: number) {
    super(`Run ${run} of index ${index} lacks chunk ${part}`);
    this.run = run;
  }
}

/**
 * Places entered under a tag in all runs, each once, newest first, below `below` when given. Runs and chunks are read
 * as the walk goes on.
 * @throws MissingChunkError when the store is damaged
 */
export function findInRuns(
  rows: Reader,
  fences: FencePointers,
  index: number,
  tag: Uint8Array,
  below?: Place,
): Generator<Place> {
  return walkRuns(rows, fences, index, tag, false, below ?? HIGHEST);
}

/** The same, oldest first. */
export function findInRunsUp(
  rows: Reader,
  fences: FencePointers,
  index: number,
  tag: Uint8Array,
): Generator<Place> {
  return walkRuns(rows, fences, index, tag, true, LOWEST);
}

/** All entries of an index, whole runs one after the other: for checks. */
export function* entriesOf(rows: Reader, index: number): Generator<{ readonly tag: bigint } & Place> {
  for (const { run, count, inputs } of rows.get(tables.runs, index) ?? []) {
    if (inputs.length > 0) continue;
    for (let part = 0; part < chunksIn(count); part++) {
      const words = readChunk(rows, index, run, part);
      for (let at = 0; at < words.length; at += WIDTH) {
        const tag = (BigInt(words[at]) << 32n) | BigInt(words[at + 1]);
        yield { tag, height: words[at + 2], position: words[at + 3] };
      }
    }
  }
}

function chunksIn(count: number): number {
  return Math.ceil(count / CHUNK_ENTRIES);
}

function nextRun(runs: readonly Run[]): number {
  return 1 + runs.reduce((most, { run }) => Math.max(most, run), 0);
}

// -------------------------------------------------------------------------------------------------- look-up

/** Below and above all places, whose numbers are u32. */
const LOWEST: Place = { height: 0, position: 0 };
const HIGHEST: Place = { height: 2 ** 32, position: 0 };

/** @param start where to begin: upward with the first place that is not below it, downward with the last that is */
function* walkRuns(
  rows: Reader,
  fences: FencePointers,
  index: number,
  tag: Uint8Array,
  up: boolean,
  start: Place,
): Generator<Place> {
  let bound = start;
  let walks: TagWalk[] | undefined;
  for (;;) {
    // Whole runs never change and numbers of runs are not given again, so that what a walk reads is right whenever it
    // reads it. Snapshots and commits being filled have their runs to the end. Only a walk over the newest state can
    // find one removed, by a commit between two steps: all that it held is in other runs then, where the walk
    // goes on from its last place.
    try {
      if (walks === undefined) walks = openWalks(rows, fences, index, tag, up, bound);
      else passBound(walks, up, bound);
    } catch (error) {
      if (!(error instanceof MissingChunkError) || isListed(rows, index, error.run)) throw error;
      walks = undefined;
      continue;
    }
    let next: TagWalk | undefined;
    for (const walk of walks) if (next === undefined || walk.comesBefore(next)) next = walk;
    if (next === undefined) return;
    const { height, position } = next;
    bound = up ? { height, position: position + 1 } : { height, position };
    yield { height, position };
  }
}

/** A walk in each whole run that has such places, at the first one. */
function openWalks(
  rows: Reader,
  fences: FencePointers,
  index: number,
  tag: Uint8Array,
  up: boolean,
  bound: Place,
): TagWalk[] {
  const runs = rows.get(tables.runs, index) ?? [];
  fences.trim(index, runs);
  const walks: TagWalk[] = [];
  for (const run of runs) {
    if (run.inputs.length > 0) continue;
    const walk = new TagWalk(rows, index, run.run, fences.of(rows, index, run), tag, up);
    if (walk.seek(bound)) walks.push(walk);
  }
  return walks;
}

/** Moves every walk that has not passed the bound yet; those at their end go. */
function passBound(walks: TagWalk[], up: boolean, bound: Place): void {
  for (let i = walks.length - 1; i >= 0; i--)
    if (walks[i].isBelow(bound) === up && !walks[i].advance()) walks.splice(i, 1);
}

function isListed(rows: Reader, index: number, run: number): boolean {
  return rows.get(tables.runs, index)?.some((one) => one.run === run && one.inputs.length === 0) ?? false;
}

/** Goes through the entries of one tag in one run. */
class TagWalk {
  /** The place that the walk is at. */
  height = 0;
  position = 0;
  readonly #rows: Reader;
  readonly #index: number;
  readonly #run: number;
  readonly #fence: Uint32Array;
  readonly #high: number;
  readonly #low: number;
  readonly #up: boolean;
  #part = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(rows: Reader, index: number, run: number, fence: Uint32Array, tag: Uint8Array, up: boolean) {
    this.#rows = rows;
    this.#index = index;
    this.#run = run;
    this.#fence = fence;
    this.#high = getU32(tag, 0);
    this.#low = getU32(tag, 4);
    this.#up = up;
  }

  /** Goes to the first place that is not below the bound, or downward to the last that is. False: there is none. */
  seek(bound: Place): boolean {
    const first = firstTagFrom(this.#fence, this.#high, this.#low, false);
    let from = first;
    let to = firstTagFrom(this.#fence, this.#high, this.#low, true);
    if (to === 0) return false;
    // Chunks that begin with the tag itself: which of them begin below the bound is known at the ends without a look.
    if (bound === HIGHEST) from = to;
    if (bound === LOWEST) to = from;
    while (from < to) {
      const middle = (from + to) >>> 1;
      const bytes = this.#chunk(middle);
      if (compareEntry(bytes, 0, this.#high, this.#low, bound) < 0) from = middle + 1;
      else to = middle;
    }
    // The last chunk that begins below the tag and bound; what is sought may also stand at the beginning of the next.
    this.#part = Math.max(0, from - 1);
    this.#bytes = this.#chunk(this.#part);
    const at = lowerBound(this.#bytes, this.#high, this.#low, bound);
    this.#at = this.#up ? at : at - ENTRY_BYTES;
    return this.#arrive();
  }

  /** Goes one entry on. False: there is none. */
  advance(): boolean {
    this.#at += this.#up ? ENTRY_BYTES : -ENTRY_BYTES;
    return this.#arrive();
  }

  /** Whether the walk comes to its place before the other one comes to its own. */
  comesBefore(other: TagWalk): boolean {
    return this.#up ? this.isBelow(other) : other.isBelow(this);
  }

  isBelow({ height, position }: Place): boolean {
    return this.height === height ? this.position < position : this.height < height;
  }

  #arrive(): boolean {
    if (this.#at < 0 || this.#at >= this.#bytes.length) {
      this.#part += this.#up ? 1 : -1;
      if (this.#part < 0 || this.#part * 2 >= this.#fence.length) return false;
      // The tag ends with the chunk when the one above begins with another tag.
      const above = (this.#up ? this.#part : this.#part + 1) * 2;
      if (this.#fence[above] !== this.#high || this.#fence[above + 1] !== this.#low) return false;
      this.#bytes = this.#chunk(this.#part);
      this.#at = this.#up ? 0 : this.#bytes.length - ENTRY_BYTES;
    }
    const at = this.#at;
    if (getU32(this.#bytes, at) !== this.#high || getU32(this.#bytes, at + 4) !== this.#low) return false;
    this.height = getU32(this.#bytes, at + 8);
    this.position = getU32(this.#bytes, at + 12);
    return true;
  }

  #chunk(part: number): Uint8Array {
    return chunkBytes(this.#rows, this.#index, this.#run, part);
  }
}

/** Number of the first chunk whose first tag is not below the wanted one, or (`beyond`) is above it. */
function firstTagFrom(fence: Uint32Array, high: number, low: number, beyond: boolean): number {
  const limit = beyond ? low + 1 : low;
  let from = 0;
  let to = fence.length / 2;
  while (from < to) {
    const middle = (from + to) >>> 1;
    const word = fence[middle * 2];
    if (word < high || (word === high && fence[middle * 2 + 1] < limit)) from = middle + 1;
    else to = middle;
  }
  return from;
}

/** Offset of the first entry of a chunk that is not below tag and place. */
function lowerBound(bytes: Uint8Array, high: number, low: number, place: Place): number {
  let from = 0;
  let to = bytes.length / ENTRY_BYTES;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (compareEntry(bytes, middle * ENTRY_BYTES, high, low, place) < 0) from = middle + 1;
    else to = middle;
  }
  return from * ENTRY_BYTES;
}

function compareEntry(bytes: Uint8Array, at: number, high: number, low: number, place: Place): number {
  return (
    getU32(bytes, at) - high ||
    getU32(bytes, at + 4) - low ||
    getU32(bytes, at + 8) - place.height ||
    getU32(bytes, at + 12) - place.position
  );
}

// -------------------------------------------------------------------------------------------------- merging

/** Goes on with merges, and begins those that are due. Returns the runs as they are then. */
function merge(rows: Writer, index: number, runs: readonly Run[], allowance: number): readonly Run[] {
  let left = allowance;
  let now = [...runs];
  const taken = new Set(now.flatMap(({ inputs }) => inputs.map(({ run }) => run)));
  const classes = new Map<number, Run[]>();
  for (const run of now) {
    if (run.inputs.length > 0 || taken.has(run.run)) continue;
    const size = classOf(run.count);
    classes.set(size, [...(classes.get(size) ?? []), run]);
  }
  for (const [size, alike] of classes) {
    if (size === LAST_CLASS || alike.length < mergeAt(size)) continue;
    now.push({ run: nextRun(now), count: 0, inputs: alike.map(({ run }) => ({ run, taken: 0 })) });
  }
  for (const unfinished of now.filter(({ inputs }) => inputs.length > 0)) {
    if (left <= 0) break;
    const after = mergeSlice(rows, index, unfinished, now, left);
    left -= after.count - unfinished.count;
    now = now.map((run) => (run.run === after.run ? after : run));
    if (after.inputs.length > 0) continue;
    const gone = new Set(unfinished.inputs.map(({ run }) => run));
    for (const run of now) if (gone.has(run.run)) removeRun(rows, index, run);
    now = now.filter(({ run }) => !gone.has(run));
  }
  return now;
}

/** Merges up to `allowance` entries (in whole chunks) into an unfinished run. */
function mergeSlice(rows: Writer, index: number, into: Run, runs: readonly Run[], allowance: number): Run {
  const cursors = into.inputs.map(({ run, taken }) => {
    const count = runs.find((one) => one.run === run)?.count ?? 0;
    return new RunCursor(rows, index, run, taken, count);
  });
  const merged = new Uint32Array(chunksIn(Math.max(1, allowance)) * CHUNK_ENTRIES * WIDTH);
  let length = 0;
  const last = into.count === 0 ? undefined : readChunk(rows, index, into.run, chunksIn(into.count) - 1);
  while (length < merged.length) {
    let least: RunCursor | undefined;
    for (const one of cursors) if (one.alive && (least === undefined || one.isBefore(least))) least = one;
    if (least === undefined) break;
    const repeated =
      length > 0
        ? least.equals(merged, length - WIDTH)
        : last !== undefined && least.equals(last, last.length - WIDTH);
    if (!repeated) {
      least.copyTo(merged, length);
      length += WIDTH;
    }
    least.advance();
  }
  writeChunks(rows, index, into.run, chunksIn(into.count), merged.subarray(0, length));
  const whole = !cursors.some(({ alive }) => alive);
  return {
    run: into.run,
    count: into.count + length / WIDTH,
    inputs: whole ? [] : cursors.map(({ run, taken }) => ({ run, taken })),
  };
}

function removeRun(rows: Writer, index: number, { run, count }: Run): void {
  for (let part = 0; part < chunksIn(count); part++) rows.remove(tables.runChunks, { index, run, part });
  const from = { index, run, part: 0 };
  const fences = [...rows.range(tables.runFences, { from, to: { index, run: run + 1, part: 0 } })];
  for (const [key] of fences) rows.remove(tables.runFences, key);
}

/** Walks through the entries of a run. */
class RunCursor {
  readonly run: number;
  /** Entries behind the cursor. */
  taken: number;
  readonly #rows: Reader;
  readonly #index: number;
  readonly #count: number;
  #words: Uint32Array = new Uint32Array(0);
  #at = 0;

  constructor(rows: Reader, index: number, run: number, taken: number, count: number) {
    this.#rows = rows;
    this.#index = index;
    this.run = run;
    this.taken = taken;
    this.#count = count;
    this.#load();
  }

  get alive(): boolean {
    return this.taken < this.#count;
  }

  advance(): void {
    this.taken++;
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
    copyEntry(this.#words, this.#at, out, at);
  }

  #load(): void {
    if (!this.alive) return;
    this.#words = readChunk(this.#rows, this.#index, this.run, Math.floor(this.taken / CHUNK_ENTRIES));
    this.#at = (this.taken % CHUNK_ENTRIES) * WIDTH;
  }
}

// --------------------------------------------------------------------------------------------------- chunks

/** Writes entries as chunks from number `first` on, and their first tags. */
function writeChunks(rows: Writer, index: number, run: number, first: number, words: Uint32Array): void {
  if (words.length === 0) return;
  const fence = new Uint8Array(chunksIn(words.length / WIDTH) * TAG_BYTES);
  for (let chunk = 0; chunk * TAG_BYTES < fence.length; chunk++) {
    const at = chunk * CHUNK_ENTRIES * WIDTH;
    const bytes = bytesOf(words.subarray(at, at + CHUNK_ENTRIES * WIDTH));
    rows.insert(tables.runChunks, { index, run, part: first + chunk }, bytes);
    fence.set(bytes.subarray(0, TAG_BYTES), chunk * TAG_BYTES);
  }
  rows.insert(tables.runFences, { index, run, part: first }, fence);
}

function chunkBytes(rows: Reader, index: number, run: number, part: number): Uint8Array {
  const bytes = rows.get(tables.runChunks, { index, run, part });
  if (bytes === undefined) throw new MissingChunkError(index, run, part);
  return bytes;
}

function readChunk(rows: Reader, index: number, run: number, part: number): Uint32Array {
  return wordsOf(chunkBytes(rows, index, run, part));
}

/** Big-endian bytes of words. */
function bytesOf(words: Uint32Array): Uint8Array {
  const bytes = new Uint8Array(words.length * 4);
  for (let i = 0; i < words.length; i++) putU32(bytes, i * 4, words[i]);
  return bytes;
}

function wordsOf(bytes: Uint8Array): Uint32Array {
  const words = new Uint32Array(bytes.length / 4);
  for (let i = 0; i < words.length; i++) words[i] = getU32(bytes, i * 4);
  return words;
}

function compareEntries(a: Uint32Array, atA: number, b: Uint32Array, atB: number): number {
  for (let i = 0; i < WIDTH; i++) {
    const difference = a[atA + i] - b[atB + i];
    if (difference !== 0) return difference;
  }
  return 0;
}

/** The entries in order, each once: a radix sort, byte by byte from the last to the first. */
function sortEntries(words: Uint32Array): Uint32Array {
  let from = words;
  let to: Uint32Array = new Uint32Array(words.length);
  let spare: Uint32Array | undefined;
  const starts = new Uint32Array(256);
  // Entries come in the order of the chain as a rule, and then only their tags are left to sort by.
  for (let word = inChainOrder(words) ? 1 : WIDTH - 1; word >= 0; word--) {
    for (let shift = 0; shift < 32; shift += 8) {
      starts.fill(0);
      for (let at = word; at < words.length; at += WIDTH) starts[(words[at] >>> shift) & 0xff] += WIDTH;
      if (starts[(words[word] >>> shift) & 0xff] === words.length) continue;
      for (let byte = 0, next = 0; byte < 256; byte++) {
        const length = starts[byte];
        starts[byte] = next;
        next += length;
      }
      for (let at = 0; at < from.length; at += WIDTH) {
        const byte = (from[at + word] >>> shift) & 0xff;
        copyEntry(from, at, to, starts[byte]);
        starts[byte] += WIDTH;
      }
      // The given words stay as they are.
      spare ??= new Uint32Array(words.length);
      const sorted = to;
      to = from === words ? spare : from;
      from = sorted;
    }
  }
  let length = 0;
  for (let at = 0; at < from.length; at += WIDTH) {
    if (length > 0 && compareEntries(from, at, to, length - WIDTH) === 0) continue;
    copyEntry(from, at, to, length);
    length += WIDTH;
  }
  return to.subarray(0, length);
}

function inChainOrder(words: Uint32Array): boolean {
  for (let at = WIDTH; at < words.length; at += WIDTH)
    if ((words[at + 2] - words[at - 2] || words[at + 3] - words[at - 1]) < 0) return false;
  return true;
}

function copyEntry(from: Uint32Array, at: number, to: Uint32Array, start: number): void {
  to[start] = from[at];
  to[start + 1] = from[at + 1];
  to[start + 2] = from[at + 2];
  to[start + 3] = from[at + 3];
}
