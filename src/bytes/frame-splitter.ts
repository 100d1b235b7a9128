import { ByteReader } from "./reader.ts";

/** Bytes of the length in front of each frame. */
export const LENGTH_BYTES = 4;

class PartialFrame {
  readonly #check: (length: number) => void;
  #bytes = new Uint8Array(LENGTH_BYTES);
  #length = 0;
  #end: number | undefined;

  constructor(check: (length: number) => void) {
    this.#check = check;
  }

  get length(): number {
    return this.#length;
  }

  /** The complete frame without its length; undefined while bytes are missing. */
  get whole(): Uint8Array | undefined {
    return this.#length === this.#end ? this.#bytes.subarray(LENGTH_BYTES) : undefined;
  }

  /** Returns the bytes after the frame's end. @throws what `check` throws */
  take(bytes: Uint8Array): Uint8Array {
    let rest = bytes;
    if (this.#end === undefined) {
      rest = this.#append(rest, LENGTH_BYTES);
      if (this.#length < LENGTH_BYTES) return rest;
      this.#end = frameEnd(this.#bytes, this.#check);
    }
    return this.#append(rest, this.#end);
  }

  #append(bytes: Uint8Array, end: number): Uint8Array {
    const count = Math.min(bytes.length, end - this.#length);
    const needed = this.#length + count;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(end, Math.max(needed, 2 * this.#bytes.length)));
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes.subarray(0, count), this.#length);
    this.#length = needed;
    return bytes.subarray(count);
  }
}

/** Length with the length bytes. @throws what `check` throws */
function frameEnd(bytes: Uint8Array, check: (length: number) => void): number {
  const length = new ByteReader(bytes).u32();
  check(length);
  return LENGTH_BYTES + length;
}

/** Splits a stream of bytes into frames: a length (u32, big-endian), then as many bytes. */
export class FrameSplitter {
  readonly #check: (length: number) => void;
  #partial: PartialFrame | undefined;
  #hasEnded = false;

  /** @param check called with each length before memory is allocated; throws if it is too large */
  constructor(check: (length: number) => void) {
    this.#check = check;
  }

  /** Bytes of the incomplete frame, including its length. */
  get heldBytes(): number {
    return this.#partial?.length ?? 0;
  }

  /**
   * Yields complete frames without their lengths, on demand: views of `bytes` or own copies. Yields nothing more after
   * an error. A caller that stops early must not call `split` again.
   * @param bytes must not change until the last frame was taken
   * @throws what `check` throws
   */
  *split(bytes: Uint8Array): Generator<Uint8Array> {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    let rest = bytes;
    while (rest.length > 0) {
      if (this.#partial === undefined && rest.length >= LENGTH_BYTES) {
        const end = frameEnd(rest, this.#check);
        if (rest.length >= end) {
          yield rest.subarray(LENGTH_BYTES, end);
          rest = rest.subarray(end);
          continue;
        }
      }
      this.#partial ??= new PartialFrame(this.#check);
      rest = this.#partial.take(rest);
      const { whole } = this.#partial;
      if (whole === undefined) break;
      this.#partial = undefined;
      yield whole;
    }
    this.#hasEnded = false;
  }
}
