import { groupOf } from "../../collections/group-of.ts";

export interface NumberMap extends Pick<Map<string, number>, "size" | "has" | "get" | "delete" | "clear"> {
  set(key: string, value: number): unknown;
  entries(): Iterable<[string, number]>;
}

/**
 * Size of a key with its length byte. Most keys are origins of clients: an IPv4 address or an IPv6 network, of at most
 * 24 characters.
 */
const KEY_BYTES = 32;
/** Longer keys, and those with characters outside Latin-1, share this number of entries. */
const GROUP_COUNT = 256;
const HEADER_BYTES = 8;
const VALUE_BYTES = 8;

/**
 * A map in shared memory: a hash table with linear probing. Every use, by any thread, must hold the same lock. If a
 * thread ends within a change, keys may be lost or repeated, but no operation fails.
 */
export class SharedNumberMap implements NumberMap {
  readonly #capacity: number;
  /** Number of entries, and seed of the hash. */
  readonly #header: Int32Array;
  readonly #values: Float64Array;
  /** A length of 0 marks a free slot. `storedKey` replaces an empty key. */
  readonly #keys: Uint8Array;

  constructor(memory: SharedArrayBuffer) {
    const capacity = (memory.byteLength - HEADER_BYTES) / (VALUE_BYTES + KEY_BYTES);
    this.#capacity = capacity;
    this.#header = new Int32Array(memory, 0, 2);
    this.#values = new Float64Array(memory, HEADER_BYTES, capacity);
    this.#keys = new Uint8Array(memory, HEADER_BYTES + VALUE_BYTES * capacity);
  }

  /**
   * @param entries maximum entries; at least half of the slots stay free, mostly in pages that are never allocated
   * @param seed secret of this process, so that clients cannot choose colliding keys
   */
  static memory(entries: number, seed: number): SharedArrayBuffer {
    const capacity = 2 ** Math.ceil(Math.log2(2 * entries));
    const memory = new SharedArrayBuffer(HEADER_BYTES + capacity * (VALUE_BYTES + KEY_BYTES));
    new Int32Array(memory, 0, 2)[1] = seed;
    return memory;
  }

  get size(): number {
    return this.#header[0];
  }

  has(key: string): boolean {
    return this.get(key) !== undefined;
  }

  get(key: string): number | undefined {
    const slot = this.#find(storedKey(key));
    return slot === undefined || this.#isFree(slot) ? undefined : this.#values[slot];
  }

  /** @throws RangeError if the map is full */
  set(key: string, value: number): this {
    const stored = storedKey(key);
    const slot = this.#find(stored);
    if (slot === undefined) throw new RangeError("A shared map is full");
    if (this.#isFree(slot)) {
      const start = slot * KEY_BYTES;
      for (let i = 0; i < stored.length; i++) this.#keys[start + 1 + i] = stored.charCodeAt(i);
      this.#keys[start] = stored.length;
      this.#header[0]++;
    }
    this.#values[slot] = value;
    return this;
  }

  delete(key: string): boolean {
    const slot = this.#find(storedKey(key));
    if (slot === undefined || this.#isFree(slot)) return false;
    this.#header[0]--;
    this.#free(slot);
    return true;
  }

  clear(): void {
    if (this.#header[0] === 0) return;
    this.#keys.fill(0);
    this.#header[0] = 0;
  }

  /** Changes during the iteration are not allowed. */
  *entries(): Generator<[string, number]> {
    for (let slot = 0; slot < this.#capacity; slot++)
      if (!this.#isFree(slot)) yield [this.#keyAt(slot), this.#values[slot]];
  }

  #isFree(slot: number): boolean {
    return this.#keys[slot * KEY_BYTES] === 0;
  }

  #keyAt(slot: number): string {
    const start = slot * KEY_BYTES;
    const length = this.#keys[start];
    return String.fromCharCode(...this.#keys.subarray(start + 1, start + 1 + length));
  }

  #firstSlot(key: string): number {
    let hash = this.#header[1];
    for (let i = 0; i < key.length; i++) hash = Math.imul(hash ^ key.charCodeAt(i), 0x01000193);
    hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
    return (hash ^ (hash >>> 13)) & (this.#capacity - 1);
  }

  #find(key: string): number | undefined {
    let slot = this.#firstSlot(key);
    for (let tries = 0; tries < this.#capacity; tries++) {
      if (this.#isFree(slot) || this.#holds(slot, key)) return slot;
      slot = (slot + 1) & (this.#capacity - 1);
    }
    return undefined;
  }

  #holds(slot: number, key: string): boolean {
    const start = slot * KEY_BYTES;
    if (this.#keys[start] !== key.length) return false;
    for (let i = 0; i < key.length; i++) if (this.#keys[start + 1 + i] !== key.charCodeAt(i)) return false;
    return true;
  }

  /** Frees a slot, and fills the gap with entries before the next free slot, so that `#find` reaches them. */
  #free(freed: number): void {
    const mask = this.#capacity - 1;
    let gap = freed;
    for (let next = (gap + 1) & mask; next !== freed && !this.#isFree(next); next = (next + 1) & mask) {
      const distance = (next - this.#firstSlot(this.#keyAt(next))) & mask;
      if (distance < ((next - gap) & mask)) continue;
      this.#keys.copyWithin(gap * KEY_BYTES, next * KEY_BYTES, (next + 1) * KEY_BYTES);
      this.#values[gap] = this.#values[next];
      gap = next;
    }
    this.#keys[gap * KEY_BYTES] = 0;
  }
}

const SHORT_LATIN_1 = new RegExp(`^[\\u0000-\\u00ff]{1,${KEY_BYTES - 1}}$`);

function storedKey(key: string): string {
  return SHORT_LATIN_1.test(key) ? key : groupOf(key, GROUP_COUNT);
}
