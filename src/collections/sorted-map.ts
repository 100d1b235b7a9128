import { lowerBound } from "./binary-search.ts";

const CHUNK_SIZE = 256;

interface Chunk<V> {
  readonly keys: string[];
  readonly values: V[];
}

/**
 * A map in the order of its text keys. Inserting and deleting move at most one chunk, so 100,000 entries stay
 * cheap. The map may change during a walk, which then yields the entries ahead of it.
 */
export class SortedMap<V> {
  /** No chunk is empty. */
  readonly #chunks: Chunk<V>[] = [];
  #size = 0;
  /** Number of changes that moved entries: a walk looks up its position again after one. */
  #moves = 0;

  /** @param entries each key once */
  constructor(entries: Iterable<readonly [string, V]> = []) {
    const sorted = [...entries].sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    this.#size = sorted.length;
    for (let at = 0; at < sorted.length; at += CHUNK_SIZE) {
      const part = sorted.slice(at, at + CHUNK_SIZE);
      this.#chunks.push({ keys: part.map(([key]) => key), values: part.map(([, value]) => value) });
    }
  }

  get size(): number {
    return this.#size;
  }

  set(key: string, value: V): void {
    const last = this.#chunks.length - 1;
    if (last < 0) {
      this.#chunks.push({ keys: [key], values: [value] });
      this.#size++;
      this.#moves++;
      return;
    }
    const index = Math.min(this.#chunkOf(key), last);
    const { keys, values } = this.#chunks[index];
    const at = placeOf(keys, key);
    if (keys[at] === key) {
      values[at] = value;
      return;
    }
    keys.splice(at, 0, key);
    values.splice(at, 0, value);
    this.#size++;
    this.#moves++;
    if (keys.length > 2 * CHUNK_SIZE)
      this.#chunks.splice(index + 1, 0, { keys: keys.splice(CHUNK_SIZE), values: values.splice(CHUNK_SIZE) });
  }

  /** Removes an entry. @returns false if there is none */
  delete(key: string): boolean {
    const index = this.#chunkOf(key);
    if (index === this.#chunks.length) return false;
    const { keys, values } = this.#chunks[index];
    const at = placeOf(keys, key);
    if (keys[at] !== key) return false;
    keys.splice(at, 1);
    values.splice(at, 1);
    this.#size--;
    this.#moves++;
    if (keys.length === 0) this.#chunks.splice(index, 1);
    return true;
  }

  /** Yields the entries in ascending order, from `from` (inclusive) to `to` (exclusive). */
  *ascending(from?: string, to?: string): Generator<[string, V]> {
    let next = from;
    for (;;) {
      let index = next === undefined ? 0 : this.#chunkOf(next);
      if (index >= this.#chunks.length) return;
      let at = next === undefined ? 0 : placeOf(this.#chunks[index].keys, next);
      for (const moves = this.#moves; moves === this.#moves; at++) {
        if (at === this.#chunks[index].keys.length) {
          if (++index === this.#chunks.length) return;
          at = 0;
        }
        const { keys, values } = this.#chunks[index];
        const key = keys[at];
        if (to !== undefined && key >= to) return;
        yield [key, values[at]];
        // The next possible key, in case the map changed during the yield.
        if (moves !== this.#moves) next = `${key}\0`;
      }
    }
  }

  /** Yields the entries above `after`, which need not be a key; all entries without it. */
  entries(after?: string): Generator<[string, V]> {
    return this.ascending(after === undefined ? undefined : `${after}\0`);
  }

  /** Yields the entries in descending order, from `to` (exclusive) to `from` (inclusive). */
  *descending(from?: string, to?: string): Generator<[string, V]> {
    let last = to;
    for (;;) {
      let index = last === undefined ? this.#chunks.length : this.#chunkOf(last);
      // Above the last chunk, start at its end.
      const first =
        last === undefined || index === this.#chunks.length ? 0 : placeOf(this.#chunks[index].keys, last);
      let at = first - 1;
      for (const moves = this.#moves; moves === this.#moves; at--) {
        if (at < 0) {
          if (--index < 0) return;
          at = this.#chunks[index].keys.length - 1;
        }
        const { keys, values } = this.#chunks[index];
        last = keys[at];
        if (from !== undefined && last < from) return;
        yield [last, values[at]];
      }
    }
  }

  *values(): Generator<V> {
    for (const [, value] of this.ascending()) yield value;
  }

  /** Returns the index of the first chunk whose last key is not below `key`, or the number of chunks. */
  #chunkOf(key: string): number {
    const chunks = this.#chunks;
    return lowerBound(0, chunks.length, (index) => {
      const { keys } = chunks[index];
      return keys[keys.length - 1] < key;
    });
  }
}

/** Returns the index of the first key that is not below `key`. */
function placeOf(keys: readonly string[], key: string): number {
  return lowerBound(0, keys.length, (at) => keys[at] < key);
}
