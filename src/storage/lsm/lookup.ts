import { copyBytes } from "../../bytes/copy.ts";
import { lowerBound } from "../../collections/binary-search.ts";
import { getU32 } from "../codecs.ts";
import type { Reader } from "../kv.ts";
import type { Place } from "../places.ts";
import { ENTRY_BYTES } from "./entry.ts";
import { type FencePointers, firstChunkFrom } from "./fence-pointers.ts";
import { isComplete, MissingChunkError, peekChunkBytes, sortedRunsOf } from "./sorted-run.ts";

/** Yields the places of a tag, newest first, each once. @throws MissingChunkError if the store is damaged */
export function findInRuns(
  rows: Reader,
  fences: FencePointers,
  tree: number,
  tag: Uint8Array,
  below?: Place,
): Generator<Place> {
  return iterateRuns(rows, fences, tree, tag, false, below ?? HIGHEST);
}

export function findInRunsAscending(
  rows: Reader,
  fences: FencePointers,
  tree: number,
  tag: Uint8Array,
): Generator<Place> {
  return iterateRuns(rows, fences, tree, tag, true, LOWEST);
}

/** Bounds below and above all places: heights and positions are u32. */
const LOWEST: Place = { height: 0, position: 0 };
const HIGHEST: Place = { height: 2 ** 32, position: 0 };

/** @param start inclusive lower bound if ascending, exclusive upper bound if descending */
function* iterateRuns(
  rows: Reader,
  fences: FencePointers,
  tree: number,
  tag: Uint8Array,
  isAscending: boolean,
  start: Place,
): Generator<Place> {
  let bound = start;
  let cursors: TagCursor[] | undefined;
  for (;;) {
    // If `rows` is not a snapshot, a commit can replace runs: continue in the new runs.
    try {
      if (cursors === undefined) cursors = openCursors(rows, fences, tree, tag, isAscending, bound);
      else advancePast(cursors, isAscending, bound);
    } catch (error) {
      if (!(error instanceof MissingChunkError) || isCurrentRun(rows, tree, error.run)) throw error;
      cursors = undefined;
      continue;
    }
    let next: TagCursor | undefined;
    for (const cursor of cursors) if (next === undefined || cursor.comesBefore(next)) next = cursor;
    if (next === undefined) return;
    const { height, position } = next;
    bound = isAscending ? { height, position: position + 1 } : { height, position };
    yield { height, position };
  }
}

function openCursors(
  rows: Reader,
  fences: FencePointers,
  tree: number,
  tag: Uint8Array,
  isAscending: boolean,
  bound: Place,
): TagCursor[] {
  const runs = sortedRunsOf(rows, tree);
  fences.trim(tree, runs);
  const cursors: TagCursor[] = [];
  for (const run of runs) {
    if (!isComplete(run)) continue;
    const cursor = new TagCursor(rows, tree, run.number, fences.get(rows, tree, run), tag, isAscending);
    if (cursor.seek(bound)) cursors.push(cursor);
  }
  return cursors;
}

function advancePast(cursors: TagCursor[], isAscending: boolean, bound: Place): void {
  for (let i = cursors.length - 1; i >= 0; i--)
    if (cursors[i].isBelow(bound) === isAscending && !cursors[i].advance()) cursors.splice(i, 1);
}

function isCurrentRun(rows: Reader, tree: number, run: number): boolean {
  return sortedRunsOf(rows, tree).some((listed) => listed.number === run && isComplete(listed));
}

const NO_ENTRIES = new Uint8Array(0);

class TagCursor {
  height = 0;
  position = 0;
  readonly #rows: Reader;
  readonly #tree: number;
  readonly #run: number;
  readonly #fence: Uint32Array;
  readonly #high: number;
  readonly #low: number;
  readonly #isAscending: boolean;
  #chunk = 0;
  /** The tag's entries in the chunk. */
  #bytes: Uint8Array = NO_ENTRIES;
  #at = 0;

  constructor(
    rows: Reader,
    tree: number,
    run: number,
    fence: Uint32Array,
    tag: Uint8Array,
    isAscending: boolean,
  ) {
    this.#rows = rows;
    this.#tree = tree;
    this.#run = run;
    this.#fence = fence;
    this.#high = getU32(tag, 0);
    this.#low = getU32(tag, 4);
    this.#isAscending = isAscending;
  }

  /** Moves to the first entry at or above `bound`; if descending, to the last one below it. */
  seek(bound: Place): boolean {
    let from = firstChunkFrom(this.#fence, this.#high, this.#low, false);
    let to = firstChunkFrom(this.#fence, this.#high, this.#low, true);
    if (to === 0) return false;
    // All entries of the tag are on one side: skip the search.
    if (bound === HIGHEST) from = to;
    if (bound === LOWEST) to = from;
    const firstAtBound = lowerBound(from, to, (chunk) =>
      peekChunkBytes(this.#rows, this.#tree, this.#run, chunk, (bytes) => this.#compare(bytes, 0, bound) < 0),
    );
    this.#chunk = Math.max(0, firstAtBound - 1);
    this.#bytes = this.#readChunk();
    const count = this.#bytes.length / ENTRY_BYTES;
    const at = lowerBound(0, count, (index) => this.#compare(this.#bytes, index, bound) < 0);
    this.#at = (this.#isAscending ? at : at - 1) * ENTRY_BYTES;
    return this.#readEntry();
  }

  advance(): boolean {
    this.#at += this.#isAscending ? ENTRY_BYTES : -ENTRY_BYTES;
    return this.#readEntry();
  }

  comesBefore(other: TagCursor): boolean {
    return this.#isAscending ? this.isBelow(other) : other.isBelow(this);
  }

  isBelow({ height, position }: Place): boolean {
    return this.height === height ? this.position < position : this.height < height;
  }

  #readEntry(): boolean {
    if (this.#at < 0 || this.#at >= this.#bytes.length) {
      this.#chunk += this.#isAscending ? 1 : -1;
      if (this.#chunk < 0 || this.#chunk * 2 >= this.#fence.length) return false;
      // The tag is in both chunks only if the later one begins with it.
      const later = (this.#isAscending ? this.#chunk : this.#chunk + 1) * 2;
      if (this.#fence[later] !== this.#high || this.#fence[later + 1] !== this.#low) return false;
      this.#bytes = this.#readChunk();
      // The earlier chunk may end before the tag.
      if (this.#bytes.length === 0) return false;
      this.#at = this.#isAscending ? 0 : this.#bytes.length - ENTRY_BYTES;
    }
    const at = this.#at;
    this.height = getU32(this.#bytes, at + 8);
    this.position = getU32(this.#bytes, at + 12);
    return true;
  }

  #readChunk(): Uint8Array {
    return peekChunkBytes(this.#rows, this.#tree, this.#run, this.#chunk, (bytes) => {
      const count = bytes.length / ENTRY_BYTES;
      const first = lowerBound(0, count, (index) => this.#compare(bytes, index, LOWEST) < 0);
      const end = lowerBound(first, count, (index) => this.#compare(bytes, index, HIGHEST) < 0);
      return first === end ? NO_ENTRIES : copyBytes(bytes, first * ENTRY_BYTES, end * ENTRY_BYTES);
    });
  }

  #compare(bytes: Uint8Array, index: number, place: Place): number {
    const at = index * ENTRY_BYTES;
    return (
      getU32(bytes, at) - this.#high ||
      getU32(bytes, at + 4) - this.#low ||
      getU32(bytes, at + 8) - place.height ||
      getU32(bytes, at + 12) - place.position
    );
  }
}
