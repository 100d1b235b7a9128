/**
 * Look-ups of large volume: from 8 bytes (of a transaction id, of an address) to the places on the chain where
 * it occurs. Sixteen bytes an entry, only ever added: what is undone stays behind.
 */
import type { Place } from "./codecs.ts";

/** One kind of look-up; `id` 0-255. The list stands in `tables.ts`. */
export interface EntryIndex {
  readonly id: number;
}

/** Bytes of a tag that an entry keeps. */
export const TAG_LENGTH = 8;

/** Reads entries. */
export interface EntryReader {
  /**
   * Places entered under the first 8 bytes of `tag`, newest first, below `below` when given. They are
   * candidates: entries of blocks that left the chain, and of other tags that begin alike, are among them, so
   * the caller compares with what stands at the place.
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

/** Numbers that one entry takes: tag (two u32), height, position. */
const WIDTH = 4;

/** Entries that are not in the store yet, in the order in which they came. */
export class PendingEntries {
  private words = new Uint32Array(64 * WIDTH);
  private length = 0;
  /** Entries by tag, built when they are first asked for; covers the first `indexed` words. */
  private readonly byTag = new Map<bigint, number[]>();
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

  /** Places of a tag, newest first, each once. */
  find(tag: Uint8Array, below?: Place): Place[] {
    for (; this.indexed < this.length; this.indexed += WIDTH) {
      const key = tagKey(this.words[this.indexed], this.words[this.indexed + 1]);
      const known = this.byTag.get(key);
      if (known === undefined) this.byTag.set(key, [this.indexed]);
      else known.push(this.indexed);
    }
    const found: Place[] = [];
    for (const at of this.byTag.get(tagKeyOf(tag)) ?? []) {
      const place = { height: this.words[at + 2], position: this.words[at + 3] };
      if (below === undefined || isBefore(place, below)) found.push(place);
    }
    found.sort((a, b) => b.height - a.height || b.position - a.position);
    return found.filter((place, i) => i === 0 || isBefore(place, found[i - 1]));
  }

  /** Every entry in the order in which it came. */
  *all(): Generator<[Uint8Array, Place]> {
    for (let at = 0; at < this.length; at += WIDTH) {
      const tag = new Uint8Array(TAG_LENGTH);
      const view = new DataView(tag.buffer);
      view.setUint32(0, this.words[at]);
      view.setUint32(4, this.words[at + 1]);
      yield [tag, { height: this.words[at + 2], position: this.words[at + 3] }];
    }
  }
}

function tagKey(high: number, low: number): bigint {
  return (BigInt(high) << 32n) | BigInt(low);
}

function tagKeyOf(tag: Uint8Array): bigint {
  const view = new DataView(tag.buffer, tag.byteOffset, tag.byteLength);
  return tagKey(view.getUint32(0), view.getUint32(4));
}

/** Whether `a` comes before `b` on the chain. */
function isBefore(a: Place, b: Place): boolean {
  return a.height === b.height ? a.position < b.position : a.height < b.height;
}
