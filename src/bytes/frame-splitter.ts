import { ByteReader } from "./reader.ts";

/** Size of the length field in front of each frame. */
export const LENGTH_BYTES = 4;

class PartialFrame {
  readonly #check: (length: number) => void;
  #bytes = new Uint8Array(LENGTH_BYTES);
  #receivedBytes = 0;
  #end: number | undefined;

  constructor(check: (length: number) => void) {
    this.#check = check;
  }

  get receivedBytes(): number {
    return this.#receivedBytes;
  }

  /** The frame without its length field; undefined while bytes are missing. */
  get complete(): Uint8Array | undefined {
    return this.#receivedBytes === this.#end ? this.#bytes.subarray(LENGTH_BYTES) : undefined;
  }

  /** Adds the frame's bytes. Returns the bytes after the frame. @throws what `check` throws */
  add(bytes: Uint8Array): Uint8Array {
    let rest = bytes;
    if (this.#end === undefined) {
      rest = this.#append(rest, LENGTH_BYTES);
      if (this.#receivedBytes < LENGTH_BYTES) return rest;
      this.#end = frameEnd(this.#bytes, this.#check);
    }
    return this.#append(rest, this.#end);
  }

  #append(bytes: Uint8Array, end: number): Uint8Array {
    const count = Math.min(bytes.length, end - this.#receivedBytes);
    const needed = this.#receivedBytes + count;
    if (needed > this.#bytes.length) {
      const larger = new Uint8Array(Math.min(end, Math.max(needed, 2 * this.#bytes.length)));
      larger.set(this.#bytes.subarray(0, this.#receivedBytes));
      this.#bytes = larger;
    }
    this.#bytes.set(bytes.subarray(0, count), this.#receivedBytes);
    this.#receivedBytes = needed;
    return bytes.subarray(count);
  }
}

/** Returns the size of length field and frame. @throws what `check` throws */
function frameEnd(bytes: Uint8Array, check: (length: number) => void): number {
  const length = new ByteReader(bytes).u32();
  check(length);
  return LENGTH_BYTES + length;
}

/** Splits a byte stream into frames, each preceded by its length (u32, big-endian). */
export class FrameSplitter {
  readonly #check: (length: number) => void;
  #partial: PartialFrame | undefined;
  #isSplitting = false;

  /** @param check called with each length before memory is allocated; throws for an invalid length */
  constructor(check: (length: number) => void) {
    this.#check = check;
  }

  /** Received bytes of the incomplete frame and its length field. */
  get heldBytes(): number {
    return this.#partial?.receivedBytes ?? 0;
  }

  /**
   * Yields complete frames on demand: views of `bytes`, or copies. Yields nothing after an error, or after a caller
   * stopped early.
   * @param bytes must not change until the last frame was taken
   * @throws what `check` throws
   */
  *split(bytes: Uint8Array): Generator<Uint8Array> {
    if (this.#isSplitting) return;
    this.#isSplitting = true;
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
      rest = this.#partial.add(rest);
      const { complete } = this.#partial;
      if (complete === undefined) break;
      this.#partial = undefined;
      yield complete;
    }
    this.#isSplitting = false;
  }
}
