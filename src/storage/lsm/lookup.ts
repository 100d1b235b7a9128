/**
 * Look-ups in the sorted runs of a tree: a walk through the entries of a tag, over all whole runs at once. Runs and
 * chunks are read as the walk goes on.
 */

import { lowerBound } from "../../collections/binary-search.ts";
import { getU32 } from "../codecs.ts";
import type { Reader } from "../kv.ts";
import type { Place } from "../places.ts";
import { ENTRY_BYTES } from "./entry.ts";
import { type FencePointers, firstTagFrom } from "./fence-pointers.ts";
import { isComplete, MissingChunkError, readChunkBytes, sortedRunsOf } from "./sorted-run.ts";

/**
 * Places entered under a tag in all runs, each once, newest first, below `below` when given.
 * @throws MissingChunkError when the store is damaged
 */
export function findInRuns(
  rows: Reader,
  fences: FencePointers,
  tree: number,
  tag: Uint8Array,
  below?: Place,
): Generator<Place> {
  return walkRuns(rows, fences, tree, tag, false, below ?? HIGHEST);
}

/** The same, oldest first. */
export function findInRunsAscending(
  rows: Reader,
  fences: FencePointers,
  tree: number,
  tag: Uint8Array,
): Generator<Place> {
  return walkRuns(rows, fences, tree, tag, true, LOWEST);
}

/** Below and above all places, whose numbers are u32. */
const LOWEST: Place = { height: 0, position: 0 };
const HIGHEST: Place = { height: 2 ** 32, position: 0 };

/** @param start where to begin: upward with the first place that is not below it, downward with the last that is */
function* walkRuns(
  rows: Reader,
  fences: FencePointers,
  tree: number,
  tag: Uint8Array,
  up: boolean,
  start: Place,
): Generator<Place> {
  let bound = start;
  let walks: TagCursor[] | undefined;
  for (;;) {
    // Whole runs never change and numbers of runs are not given again, so that what a walk reads is right whenever it
    // reads it. Snapshots and commits being filled have their runs to the end. Only a walk over the newest state can
    // find one removed, by a commit between two steps: all that it held is in other runs then, where the walk
    // goes on from its last place.
    try {
      if (walks === undefined) walks = openCursors(rows, fences, tree, tag, up, bound);
      else passBound(walks, up, bound);
    } catch (error) {
      if (!(error instanceof MissingChunkError) || isListed(rows, tree, error.run)) throw error;
      walks = undefined;
      continue;
    }
    let next: TagCursor | undefined;
    for (const walk of walks) if (next === undefined || walk.comesBefore(next)) next = walk;
    if (next === undefined) return;
    const { height, position } = next;
    bound = up ? { height, position: position + 1 } : { height, position };
    yield { height, position };
  }
}

/** A walk in each whole run that has such places, at the first one. */
function openCursors(
  rows: Reader,
  fences: FencePointers,
  tree: number,
  tag: Uint8Array,
  up: boolean,
  bound: Place,
): TagCursor[] {
  const runs = sortedRunsOf(rows, tree);
  fences.trim(tree, runs);
  const walks: TagCursor[] = [];
  for (const run of runs) {
    if (!isComplete(run)) continue;
    const walk = new TagCursor(rows, tree, run.number, fences.of(rows, tree, run), tag, up);
    if (walk.seek(bound)) walks.push(walk);
  }
  return walks;
}

/** Moves every walk that has not passed the bound yet; those at their end go. */
function passBound(walks: TagCursor[], up: boolean, bound: Place): void {
  for (let i = walks.length - 1; i >= 0; i--)
    if (walks[i].isBelow(bound) === up && !walks[i].advance()) walks.splice(i, 1);
}

function isListed(rows: Reader, tree: number, run: number): boolean {
  return sortedRunsOf(rows, tree).some((one) => one.number === run && isComplete(one));
}

/** Goes through the entries of one tag in one run. */
class TagCursor {
  /** The place that the walk is at. */
  height = 0;
  position = 0;
  readonly #rows: Reader;
  readonly #tree: number;
  readonly #run: number;
  readonly #fence: Uint32Array;
  readonly #high: number;
  readonly #low: number;
  readonly #up: boolean;
  #chunk = 0;
  #bytes: Uint8Array = new Uint8Array(0);
  #at = 0;

  constructor(rows: Reader, tree: number, run: number, fence: Uint32Array, tag: Uint8Array, up: boolean) {
    this.#rows = rows;
    this.#tree = tree;
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
    const beyond = lowerBound(from, to, (chunk) => this.#compare(this.#read(chunk), 0, bound) < 0);
    // The last chunk that begins below the tag and bound; what is sought may also stand at the beginning of the next.
    this.#chunk = Math.max(0, beyond - 1);
    const bytes = this.#read(this.#chunk);
    this.#bytes = bytes;
    const at = lowerBound(0, bytes.length / ENTRY_BYTES, (n) => this.#compare(bytes, n, bound) < 0);
    this.#at = (this.#up ? at : at - 1) * ENTRY_BYTES;
    return this.#arrive();
  }

  /** Goes one entry on. False: there is none. */
  advance(): boolean {
    this.#at += this.#up ? ENTRY_BYTES : -ENTRY_BYTES;
    return this.#arrive();
  }

  /** Whether the walk comes to its place before the other one comes to its own. */
  comesBefore(other: TagCursor): boolean {
    return this.#up ? this.isBelow(other) : other.isBelow(this);
  }

  isBelow({ height, position }: Place): boolean {
    return this.height === height ? this.position < position : this.height < height;
  }

  #arrive(): boolean {
    if (this.#at < 0 || this.#at >= this.#bytes.length) {
      this.#chunk += this.#up ? 1 : -1;
      if (this.#chunk < 0 || this.#chunk * 2 >= this.#fence.length) return false;
      // The tag ends with the chunk when the one above begins with another tag.
      const above = (this.#up ? this.#chunk : this.#chunk + 1) * 2;
      if (this.#fence[above] !== this.#high || this.#fence[above + 1] !== this.#low) return false;
      this.#bytes = this.#read(this.#chunk);
      this.#at = this.#up ? 0 : this.#bytes.length - ENTRY_BYTES;
    }
    const at = this.#at;
    if (getU32(this.#bytes, at) !== this.#high || getU32(this.#bytes, at + 4) !== this.#low) return false;
    this.height = getU32(this.#bytes, at + 8);
    this.position = getU32(this.#bytes, at + 12);
    return true;
  }

  #read(chunk: number): Uint8Array {
    return readChunkBytes(this.#rows, this.#tree, this.#run, chunk);
  }

  /** Order of an entry of a chunk, and the tag with a place. */
  #compare(bytes: Uint8Array, number: number, place: Place): number {
    const at = number * ENTRY_BYTES;
    return (
      getU32(bytes, at) - this.#high ||
      getU32(bytes, at + 4) - this.#low ||
      getU32(bytes, at + 8) - place.height ||
      getU32(bytes, at + 12) - place.position
    );
  }
}
