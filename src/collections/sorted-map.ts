import { lowerBound } from "./binary-search.ts";

const CHUNK_SIZE = 256;

interface Chunk<V> {
  readonly keys: string[];
  readonly values: V[];
}

/** A map sorted by its text keys. An iteration sees changes of entries that it has not reached yet. */
export class SortedMap<V> {
  /** In order of keys. No chunk is empty. */
  readonly #chunks: Chunk<V>[] = [];
  #size = 0;
  /** Counts insertions and deletions. */
  #keyChanges = 0;

  /** @param entries each key at most once, in any order */
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
      this.#keyChanges++;
      return;
    }
    const index = Math.min(this.#chunkIndexOf(key), last);
    const { keys, values } = this.#chunks[index];
    const at = insertionIndex(keys, key);
    if (keys[at] === key) {
      values[at] = value;
      return;
    }
    keys.splice(at, 0, key);
    values.splice(at, 0, value);
    this.#size++;
    this.#keyChanges++;
    if (keys.length > 2 * CHUNK_SIZE)
      this.#chunks.splice(index + 1, 0, { keys: keys.splice(CHUNK_SIZE), values: values.splice(CHUNK_SIZE) });
  }

  delete(key: string): boolean {
    const index = this.#chunkIndexOf(key);
    if (index === this.#chunks.length) return false;
    const { keys, values } = this.#chunks[index];
    const at = insertionIndex(keys, key);
    if (keys[at] !== key) return false;
    keys.splice(at, 1);
    values.splice(at, 1);
    this.#size--;
    this.#keyChanges++;
    if (keys.length === 0) this.#chunks.splice(index, 1);
    return true;
  }

  /** Yields the entries with keys from `from` (inclusive) to `to` (exclusive). */
  *ascending(from?: string, to?: string): Generator<[string, V]> {
    let resumeKey = from;
    for (;;) {
      let index = resumeKey === undefined ? 0 : this.#chunkIndexOf(resumeKey);
      if (index >= this.#chunks.length) return;
      let at = resumeKey === undefined ? 0 : insertionIndex(this.#chunks[index].keys, resumeKey);
      for (const keyChanges = this.#keyChanges; keyChanges === this.#keyChanges; at++) {
        if (at === this.#chunks[index].keys.length) {
          if (++index === this.#chunks.length) return;
          at = 0;
        }
        const { keys, values } = this.#chunks[index];
        const key = keys[at];
        if (to !== undefined && key >= to) return;
        yield [key, values[at]];
        // If the map changed during the yield, continue after this key.
        if (keyChanges !== this.#keyChanges) resumeKey = `${key}\0`;
      }
    }
  }

  /** Yields the entries with keys above `after`. */
  entries(after?: string): Generator<[string, V]> {
    return this.ascending(after === undefined ? undefined : `${after}\0`);
  }

  /** Yields the entries in descending order, from the key `to` (exclusive) to `from` (inclusive). */
  *descending(from?: string, to?: string): Generator<[string, V]> {
    let upperBound = to;
    for (;;) {
      let index = upperBound === undefined ? this.#chunks.length : this.#chunkIndexOf(upperBound);
      const end =
        upperBound === undefined || index === this.#chunks.length
          ? 0
          : insertionIndex(this.#chunks[index].keys, upperBound);
      let at = end - 1;
      for (const keyChanges = this.#keyChanges; keyChanges === this.#keyChanges; at--) {
        if (at < 0) {
          if (--index < 0) return;
          at = this.#chunks[index].keys.length - 1;
        }
        const { keys, values } = this.#chunks[index];
        upperBound = keys[at];
        if (from !== undefined && upperBound < from) return;
        yield [upperBound, values[at]];
      }
    }
  }

  *values(): Generator<V> {
    for (const [, value] of this.ascending()) yield value;
  }

  /** Returns the index of the first chunk with a last key of at least `key`, or the number of chunks. */
  #chunkIndexOf(key: string): number {
    const chunks = this.#chunks;
    return lowerBound(0, chunks.length, (index) => {
      const { keys } = chunks[index];
      return keys[keys.length - 1] < key;
    });
  }
}

function insertionIndex(keys: readonly string[], key: string): number {
  return lowerBound(0, keys.length, (at) => keys[at] < key);
}
