/** Writes big-endian values, in order, into bytes that grow as needed. */

const FIRST_CAPACITY = 256;

/** Collects bytes. Integers are written modulo their width: callers check ranges before. */
export class ByteWriter {
  #bytes: Uint8Array;
  #view: DataView;
  #length = 0;

  /** @param capacity bytes to reserve; more are taken when they do not suffice */
  constructor(capacity = FIRST_CAPACITY) {
    this.#bytes = new Uint8Array(capacity);
    this.#view = new DataView(this.#bytes.buffer);
  }

  /** Number of bytes written. */
  get length(): number {
    return this.#length;
  }

  /** Makes room for `count` bytes and returns where they begin. */
  #claim(count: number): number {
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

  /** Unsigned byte. */
  u8(value: number): this {
    const at = this.#claim(1);
    this.#bytes[at] = value;
    return this;
  }

  /** Signed byte. */
  i8(value: number): this {
    return this.u8(value);
  }

  /** Unsigned 16-bit integer. */
  u16(value: number): this {
    const at = this.#claim(2);
    this.#view.setUint16(at, value);
    return this;
  }

  /** Signed 16-bit integer. */
  i16(value: number): this {
    return this.u16(value);
  }

  /** Unsigned 32-bit integer. */
  u32(value: number): this {
    const at = this.#claim(4);
    this.#view.setUint32(at, value);
    return this;
  }

  /** Signed 32-bit integer. */
  i32(value: number): this {
    return this.u32(value);
  }

  /** Signed 64-bit integer. */
  i64(value: bigint): this {
    const at = this.#claim(8);
    this.#view.setBigInt64(at, value);
    return this;
  }

  /** Bytes as they are. */
  bytes(value: Uint8Array): this {
    const at = this.#claim(value.length);
    this.#bytes.set(value, at);
    return this;
  }

  /** Forgets what was written and keeps the room, for the next use. */
  clear(): this {
    this.#length = 0;
    return this;
  }

  /** The bytes written so far, as a view that the next write may change. */
  view(): Uint8Array {
    return this.#bytes.subarray(0, this.#length);
  }

  /** The bytes written so far, in an array of their own. */
  toBytes(): Uint8Array {
    return this.#bytes.slice(0, this.#length);
  }
}
