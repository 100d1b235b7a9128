import { DecodeError } from "./errors.ts";
import { int8 } from "./int64.ts";

/** Reads big-endian values. Returned bytes are views of the source. */
export class ByteReader {
  readonly source: Uint8Array;
  readonly start: number;
  #position: number;
  /** True if encoding the values read so far would give different bytes. */
  isNonCanonical = false;
  /** True for bytes accepted before: expensive checks are unnecessary. */
  isReparse = false;

  constructor(source: Uint8Array, start = 0) {
    this.source = source;
    this.start = start;
    this.#position = start;
  }

  get position(): number {
    return this.#position;
  }

  get remaining(): number {
    return this.source.length - this.#position;
  }

  #checkRemaining(count: number): void {
    const at = this.#position;
    if (!(count >= 0) || count > this.source.length - at) {
      throw new DecodeError(
        `unexpected end of bytes: ${count} needed at ${at}, ${this.source.length - at} left`,
      );
    }
  }

  #advance(count: number): number {
    this.#checkRemaining(count);
    const at = this.#position;
    this.#position = at + count;
    return at;
  }

  /** @throws DecodeError at the end of the source, like all methods below */
  u8(): number {
    return this.source[this.#advance(1)];
  }

  i8(): number {
    return int8(this.u8());
  }

  u16(): number {
    const at = this.#advance(2);
    return (this.source[at] << 8) | this.source[at + 1];
  }

  i16(): number {
    return (this.u16() << 16) >> 16;
  }

  u32(): number {
    return this.i32() >>> 0;
  }

  i32(): number {
    const at = this.#advance(4);
    const { source } = this;
    return (source[at] << 24) | (source[at + 1] << 16) | (source[at + 2] << 8) | source[at + 3];
  }

  i64(): bigint {
    this.#checkRemaining(8);
    // Creating a `DataView` costs more than all its reads.
    const high = this.i32();
    const low = this.u32();
    const value = high * 2 ** 32 + low;
    return Number.isSafeInteger(value) ? BigInt(value) : (BigInt(high) << 32n) + BigInt(low);
  }

  bytes(count: number): Uint8Array {
    const at = this.#advance(count);
    return this.source.subarray(at, at + count);
  }

  rest(): Uint8Array {
    return this.bytes(this.remaining);
  }

  skip(count: number): void {
    this.#advance(count);
  }

  /** @throws DecodeError outside the source */
  seek(position: number): void {
    this.#position = 0;
    this.#advance(position);
  }
}
