/** Reads big-endian values from bytes, in order. */
import { DecodeError } from "./errors.ts";
import { int8 } from "./int64.ts";

/**
 * A cursor over bytes. Byte strings come back as views of the source, not as copies: whoever keeps one
 * longer than the source should live, or changes it, must copy it.
 */
export class ByteReader {
  readonly source: Uint8Array;
  /** Index of the first byte to read. */
  readonly start: number;
  #position: number;
  /**
   * Whether something was read from other bytes than it would be written in. Whoever reads such a thing says so here, and
   * nobody takes it back.
   */
  isNonCanonical = false;
  /**
   * Whether the same was read from such bytes before and found good: what takes long to judge is not judged again.
   */
  isReparse = false;

  /** @param start index of the first byte to read */
  constructor(source: Uint8Array, start = 0) {
    this.source = source;
    this.start = start;
    this.#position = start;
  }

  /** Index of the next byte in the source. */
  get position(): number {
    return this.#position;
  }

  /** Number of bytes not read yet. */
  get remaining(): number {
    return this.source.length - this.#position;
  }

  #checkLeft(count: number): void {
    const at = this.#position;
    if (!(count >= 0) || count > this.source.length - at) {
      throw new DecodeError(`out of bytes: ${count} wanted at ${at}, ${this.source.length - at} left`);
    }
  }

  /** Moves past `count` bytes and returns where they begin. */
  #take(count: number): number {
    this.#checkLeft(count);
    const at = this.#position;
    this.#position = at + count;
    return at;
  }

  /** Unsigned byte. @throws DecodeError at the end (as all readers below do) */
  u8(): number {
    return this.source[this.#take(1)];
  }

  /** Signed byte. */
  i8(): number {
    return int8(this.u8());
  }

  /** Unsigned 16-bit integer. */
  u16(): number {
    const at = this.#take(2);
    return (this.source[at] << 8) | this.source[at + 1];
  }

  /** Signed 16-bit integer. */
  i16(): number {
    return (this.u16() << 16) >> 16;
  }

  /** Unsigned 32-bit integer. */
  u32(): number {
    return this.i32() >>> 0;
  }

  /** Signed 32-bit integer. */
  i32(): number {
    const at = this.#take(4);
    const { source } = this;
    return (source[at] << 24) | (source[at + 1] << 16) | (source[at + 2] << 8) | source[at + 3];
  }

  /** Signed 64-bit integer. */
  i64(): bigint {
    this.#checkLeft(8);
    // Not through a `DataView`: to make one costs more than all that is read through it.
    const high = this.i32();
    const low = this.u32();
    const value = high * 2 ** 32 + low;
    return Number.isSafeInteger(value) ? BigInt(value) : (BigInt(high) << 32n) + BigInt(low);
  }

  /** The next `count` bytes, as a view. */
  bytes(count: number): Uint8Array {
    const at = this.#take(count);
    return this.source.subarray(at, at + count);
  }

  /** Everything not read yet, as a view. */
  rest(): Uint8Array {
    return this.bytes(this.remaining);
  }

  /** Moves past `count` bytes. */
  skip(count: number): void {
    this.#take(count);
  }

  /** Moves to a position of the source, also one that was passed before. @throws DecodeError outside of it */
  seek(position: number): void {
    this.#position = 0;
    this.#take(position);
  }
}
