/** Reads big-endian values from bytes, in order. */
import { DecodeError } from "./errors.ts";

/**
 * A cursor over bytes. Byte strings come back as views of the source, not as copies: whoever keeps one
 * longer than the source should live, or changes it, must copy it.
 */
export class ByteReader {
  readonly source: Uint8Array;
  #view: DataView;
  #position: number;

  /** @param start index of the first byte to read */
  constructor(source: Uint8Array, start = 0) {
    this.source = source;
    this.#view = new DataView(source.buffer, source.byteOffset, source.byteLength);
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

  /** Moves past `count` bytes and returns where they begin. */
  #take(count: number): number {
    const at = this.#position;
    if (!(count >= 0) || count > this.source.length - at) {
      throw new DecodeError(`out of bytes: ${count} wanted at ${at}, ${this.source.length - at} left`);
    }
    this.#position = at + count;
    return at;
  }

  /** Unsigned byte. @throws DecodeError at the end (as all readers below do) */
  u8(): number {
    return this.source[this.#take(1)];
  }

  /** Signed byte. */
  i8(): number {
    return this.#view.getInt8(this.#take(1));
  }

  /** Unsigned 16-bit integer. */
  u16(): number {
    return this.#view.getUint16(this.#take(2));
  }

  /** Signed 16-bit integer. */
  i16(): number {
    return this.#view.getInt16(this.#take(2));
  }

  /** Unsigned 32-bit integer. */
  u32(): number {
    return this.#view.getUint32(this.#take(4));
  }

  /** Signed 32-bit integer. */
  i32(): number {
    return this.#view.getInt32(this.#take(4));
  }

  /** Signed 64-bit integer. */
  i64(): bigint {
    return this.#view.getBigInt64(this.#take(8));
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
