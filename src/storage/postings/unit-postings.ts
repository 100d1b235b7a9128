import { bytesEqual } from "../../bytes/compare.ts";
import { sortedByKey } from "../../bytes/sort.ts";
import { lowerBound } from "../../collections/binary-search.ts";
import { getU32, putU32 } from "../codecs.ts";
import type { ValueCodec } from "../kv.ts";

export interface UnitPosting {
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}

/** Room for the value of a posting, which the caller writes. */
export interface PostingRoom {
  readonly key: Uint8Array;
  /** Length of the value, bytes. */
  readonly length: number;
  /** Offset of the value in the row. */
  at: number;
}

const COUNT_BYTES = 4;
const END_BYTES = 4;
const MAX_KEY_BYTES = 255;

/**
 * The postings of one unit, sorted by key, each key once. Layout: count u32; for each posting, end offset u32, counted
 * from the first posting; then for each posting, key length u8, key, value.
 */
export class UnitPostings implements Iterable<UnitPosting> {
  readonly bytes: Uint8Array;
  readonly length: number;

  constructor(bytes: Uint8Array) {
    this.bytes = bytes;
    this.length = getU32(bytes, 0);
  }

  /** @throws RangeError if a key occurs twice or is longer than 255 bytes */
  static of(postings: readonly UnitPosting[]): UnitPostings {
    const rooms = postings.map(({ key, value }) => ({ key, length: value.length, at: 0, value }));
    const row = UnitPostings.withRoom(rooms);
    for (const { value, at } of rooms) row.bytes.set(value, at);
    return row;
  }

  /**
   * Makes a row whose values the caller writes to `bytes`. Sets `at` of each room.
   * @throws like `of`
   */
  static withRoom(rooms: readonly PostingRoom[]): UnitPostings {
    const sorted = sortedByKey(rooms);
    const start = COUNT_BYTES + END_BYTES * sorted.length;
    let total = start;
    for (const { key, length } of sorted) total += 1 + key.length + length;
    const bytes = new Uint8Array(total);
    putU32(bytes, 0, sorted.length);
    let at = start;
    for (let i = 0; i < sorted.length; i++) {
      const room = sorted[i];
      const { key, length } = room;
      if (key.length > MAX_KEY_BYTES)
        throw new RangeError(`A posting key has ${key.length} bytes: at most ${MAX_KEY_BYTES} are allowed`);
      if (i > 0 && bytesEqual(sorted[i - 1].key, key))
        throw new RangeError("A unit has two postings with the same key");
      bytes[at] = key.length;
      bytes.set(key, at + 1);
      room.at = at + 1 + key.length;
      at = room.at + length;
      putU32(bytes, COUNT_BYTES + END_BYTES * i, at - start);
    }
    return new UnitPostings(bytes);
  }

  /** Returns a key's value, as a view of `bytes`. */
  find(key: Uint8Array): Uint8Array | undefined {
    const index = lowerBound(0, this.length, (i) => this.#compareKey(i, key) < 0);
    if (index === this.length || this.#compareKey(index, key) !== 0) return undefined;
    return this.bytes.subarray(this.#startOf(index) + 1 + key.length, this.#startOf(index + 1));
  }

  /** Calls `visit` with the offsets in `bytes` of each key, of its value, and of the value's end. */
  forEach(visit: (keyAt: number, valueAt: number, end: number) => void): void {
    for (let i = 0, start = this.#startOf(0); i < this.length; i++) {
      const end = this.#startOf(i + 1);
      visit(start + 1, start + 1 + this.bytes[start], end);
      start = end;
    }
  }

  *[Symbol.iterator](): Generator<UnitPosting> {
    for (let i = 0; i < this.length; i++) {
      const start = this.#startOf(i);
      const valueStart = start + 1 + this.bytes[start];
      yield {
        key: this.bytes.subarray(start + 1, valueStart),
        value: this.bytes.subarray(valueStart, this.#startOf(i + 1)),
      };
    }
  }

  /** Returns true if the postings fill the bytes exactly. */
  isWellFormed(): boolean {
    // The negated comparisons also reject NaN, the result of reading beyond the end.
    if (!(this.length < this.bytes.length)) return false;
    for (let i = 0; i < this.length; i++) {
      const start = this.#startOf(i);
      if (!(start + 1 + this.bytes[start] <= this.#startOf(i + 1))) return false;
    }
    return this.#startOf(this.length) === this.bytes.length;
  }

  #startOf(i: number): number {
    const first = COUNT_BYTES + END_BYTES * this.length;
    return i === 0 ? first : first + getU32(this.bytes, COUNT_BYTES + END_BYTES * (i - 1));
  }

  #compareKey(i: number, key: Uint8Array): number {
    const { bytes } = this;
    const start = this.#startOf(i);
    const keyLength = bytes[start];
    const common = Math.min(keyLength, key.length);
    for (let j = 0; j < common; j++) {
      const difference = bytes[start + 1 + j] - key[j];
      if (difference !== 0) return difference;
    }
    return keyLength - key.length;
  }
}

export const unitPostingsValue: ValueCodec<UnitPostings> = {
  encode: ({ bytes }) => bytes,
  decode: (bytes) => new UnitPostings(bytes),
};
