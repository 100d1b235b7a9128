const INITIAL_CAPACITY = 256;

/** Writes big-endian values. Integers wrap to their width; callers check ranges. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  constructor(capacity = INITIAL_CAPACITY) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  get length(): number {
    return this.#length;
  }

  #reserve(count: number): number {
    const at = this.#length;
    const end = at + count;
    if (end > this.#bytes.length) {
      const bytes = new Uint8Array(Math.max(end, this.#bytes.length * 2));
      bytes.set(this.#bytes);
      this.#bytes = bytes;
      this.#view = new DataView(bytes.buffer);
    }
    this.#length = end;
    return at;
  }

  u8(value: number): this {
    const at = this.#reserve(1);
    this.#bytes[at] = value;
    return this;
  }

  i8(value: number): this {
    return this.u8(value);
  }

  u16(value: number): this {
    const at = this.#reserve(2);
    this.#view.setUint16(at, value);
    return this;
  }

  i16(value: number): this {
    return this.u16(value);
  }

  u32(value: number): this {
    const at = this.#reserve(4);
    this.#view.setUint32(at, value);
    return this;
  }

  i32(value: number): this {
    return this.u32(value);
  }

  i64(value: bigint): this {
    const at = this.#reserve(8);
    this.#view.setBigInt64(at, value);
    return this;
  }

  bytes(value: Uint8Array): this {
    const at = this.#reserve(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  clear(): this {
    this.#length = 0;
    return this;
  }

  /** The next write may change this view. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}
