/**
 * Look-ups of large volume: from 8 bytes (of a transaction id, of an address) to the places on the chain where
 * it occurs. Sixteen bytes an entry, only ever added: what is undone stays behind.
 */
import { getU32, type Place, putU32 } from "./codecs.ts";

/** One kind of look-up; `id` 0-255. The list stands in `tables.ts`. */
export interface EntryIndex {
  readonly id: number;
}

/** Bytes of a tag that an entry keeps. */
export const TAG_LENGTH = 8;

/** Reads entries. */
export interface EntryReader {
  /**
   * Places entered under the first 8 bytes of `tag`, each once, newest first, below `below` when given. They are
   * candidates: entries of blocks that left the chain, and of other tags that begin alike, are among them, so
   * the caller compares with what stands at the place.
   *
   * A walk reads as it goes, so that the first few places of a tag cost the same whether it has ten or a million.
   * It may miss entries that are added while it goes on, but stays in order and misses no other ones.
   */
  findEntries(index: EntryIndex, tag: Uint8Array, below?: Place): Iterable<Place>;
  /** The same, all of them and oldest first. */
  findEntriesUp(index: EntryIndex, tag: Uint8Array): Iterable<Place>;
}

/** Adds entries. */
export interface EntryWriter extends EntryReader {
  /** Enters a place under the first 8 bytes of `tag`. Entering it again changes nothing. */
  addEntry(index: EntryIndex, tag: Uint8Array, place: Place): void;
}

/** Order on the chain: negative when `a` comes before `b`. */
export function comparePlaces(a: Place, b: Place): number {
  return a.height === b.height ? a.position - b.position : a.height - b.height;
}

/** Two walks in the same direction as one that has each place once. */
export function* mergePlaces(a: Iterable<Place>, b: Iterable<Place>, up: boolean): Generator<Place> {
  const others = a[Symbol.iterator]();
  try {
    let other = others.next();
    for (const place of b) {
      let order = -1;
      while (other.done !== true) {
        order = up ? comparePlaces(place, other.value) : comparePlaces(other.value, place);
        if (order <= 0) break;
        yield other.value;
        other = others.next();
      }
      if (other.done !== true && order === 0) other = others.next();
      yield place;
    }
    for (; other.done !== true; other = others.next()) yield other.value;
  } finally {
    others.return?.();
  }
}

/** Numbers that one entry takes: tag (two u32), height, position. */
const WIDTH = 4;
/** Bits of the second word of a tag that take part in the keys of `byTag`: with the first one, what a double holds. */
const LOW_BITS = 21;

/** Entries that are not in the store yet, in the order in which they came. */
export class PendingEntries {
  private words = new Uint32Array(64 * WIDTH);
  private length = 0;
  /**
   * Offsets of entries by the first 53 bits of their tag, in the order of the rest of the tag and of places, each
   * entry once. Built when it is first asked for; covers the first `indexed` words.
   */
  private readonly byTag = new Map<number, number[]>();
  private indexed = 0;

  get count(): number {
    return this.length / WIDTH;
  }

  /** All entries, four words each: tag (high, low), height, position. A view, valid until the next `add`. */
  get raw(): Uint32Array {
    return this.words.subarray(0, this.length);
  }

  add(tag: Uint8Array, { height, position }: Place): void {
    if (this.length === this.words.length) {
      const grown = new Uint32Array(this.words.length * 2);
      grown.set(this.words);
      this.words = grown;
    }
    const at = this.length;
    this.words[at] = (tag[0] << 24) | (tag[1] << 16) | (tag[2] << 8) | tag[3];
    this.words[at + 1] = (tag[4] << 24) | (tag[5] << 16) | (tag[6] << 8) | tag[7];
    this.words[at + 2] = height;
    this.words[at + 3] = position;
    this.length = at + WIDTH;
  }

  /** Places of a tag, newest first, each once, below `below` when given. Entries may be added during the walk. */
  *find(tag: Uint8Array, below?: Place): Generator<Place> {
    const low = getU32(tag, 4);
    // Sought anew for each place, since entries that come meanwhile move the others.
    let [height, position] = below === undefined ? [ABOVE_ALL, 0] : [below.height, below.position];
    for (;;) {
      const offsets = this.offsets(tag);
      const at = offsets[this.firstNotBefore(offsets, low, height, position) - 1];
      if (at === undefined || this.words[at + 1] !== low) return;
      height = this.words[at + 2];
      position = this.words[at + 3];
      yield { height, position };
    }
  }

  /** The same, oldest first. */
  *findUp(tag: Uint8Array): Generator<Place> {
    const low = getU32(tag, 4);
    let [height, position] = [0, -1];
    for (;;) {
      const offsets = this.offsets(tag);
      const at = offsets[this.firstNotBefore(offsets, low, height, position + 1)];
      if (at === undefined || this.words[at + 1] !== low) return;
      height = this.words[at + 2];
      position = this.words[at + 3];
      yield { height, position };
    }
  }

  /** Every entry in the order in which it came. */
  *all(): Generator<[Uint8Array, Place]> {
    for (let at = 0; at < this.length; at += WIDTH) {
      const tag = new Uint8Array(TAG_LENGTH);
      putU32(tag, 0, this.words[at]);
      putU32(tag, 4, this.words[at + 1]);
      yield [tag, { height: this.words[at + 2], position: this.words[at + 3] }];
    }
  }

  /** Offsets of the entries whose tags begin with the same 53 bits as `tag`. */
  private offsets(tag: Uint8Array): readonly number[] {
    const { words } = this;
    for (; this.indexed < this.length; this.indexed += WIDTH) {
      const at = this.indexed;
      const low = words[at + 1];
      const key = keyOf(words[at], low);
      const known = this.byTag.get(key);
      if (known === undefined) {
        this.byTag.set(key, [at]);
        continue;
      }
      // At the end, but for what comes again after a rollback.
      const rank = this.firstNotBefore(known, low, words[at + 2], words[at + 3]);
      if (rank === known.length) known.push(at);
      else if (this.compare(known[rank], low, words[at + 2], words[at + 3]) !== 0) known.splice(rank, 0, at);
    }
    return this.byTag.get(keyOf(getU32(tag, 0), getU32(tag, 4))) ?? [];
  }

  /** Rank of the first of the entries that does not come before the given one. */
  private firstNotBefore(offsets: readonly number[], low: number, height: number, position: number): number {
    let from = 0;
    let to = offsets.length;
    // Most come at the end, or are sought from there.
    if (to > 0 && this.compare(offsets[to - 1], low, height, position) < 0) return to;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (this.compare(offsets[middle], low, height, position) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  private compare(at: number, low: number, height: number, position: number): number {
    const { words } = this;
    return words[at + 1] - low || words[at + 2] - height || words[at + 3] - position;
  }
}

/** A height above all others, which are u32. */
const ABOVE_ALL = 2 ** 32;

function keyOf(high: number, low: number): number {
  return high * 2 ** LOW_BITS + (low >>> (32 - LOW_BITS));
}
