/** A map ordered by its text keys: adding and removing move at most one chunk, so 100,000 entries stay cheap. */

const CHUNK = 256;

interface Chunk<V> {
  readonly keys: string[];
  readonly values: V[];
}

/** Index of the first key that is not below `key`. */
function lowerBound(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    // `middle` lies within the array.
    if ((keys[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** A map in memory with its keys in order: an entry comes and goes at the same small cost, however many there are. */
export class SortedMap<V> {
  private readonly chunks: Chunk<V>[] = [];
  private count = 0;

  /** Number of entries. */
  get size(): number {
    return this.count;
  }

  /** Adds or replaces. */
  set(key: string, value: V): void {
    if (this.chunks.length === 0) {
      this.chunks.push({ keys: [key], values: [value] });
      this.count = 1;
      return;
    }
    const index = Math.min(this.chunkOf(key), this.chunks.length - 1);
    const chunk = this.chunks[index] as Chunk<V>;
    const at = lowerBound(chunk.keys, key);
    if (chunk.keys[at] === key) {
      chunk.values[at] = value;
      return;
    }
    chunk.keys.splice(at, 0, key);
    chunk.values.splice(at, 0, value);
    this.count++;
    if (chunk.keys.length > 2 * CHUNK)
      this.chunks.splice(index + 1, 0, {
        keys: chunk.keys.splice(CHUNK),
        values: chunk.values.splice(CHUNK),
      });
  }

  /** Removes an entry; false when there was none. */
  delete(key: string): boolean {
    const index = this.chunkOf(key);
    const chunk = this.chunks[index];
    if (chunk === undefined) return false;
    const at = lowerBound(chunk.keys, key);
    if (chunk.keys[at] !== key) return false;
    chunk.keys.splice(at, 1);
    chunk.values.splice(at, 1);
    this.count--;
    if (chunk.keys.length === 0) this.chunks.splice(index, 1);
    return true;
  }

  /**
   * The entries in key order, those above `after` if it is given, whether it is a key or not. The map must not be changed
   * during the walk.
   */
  *entries(after?: string): Generator<[string, V]> {
    let index = after === undefined ? 0 : this.chunkOf(after);
    for (let first = true; index < this.chunks.length; index++, first = false) {
      const { keys, values } = this.chunks[index] as Chunk<V>;
      let at = after === undefined || !first ? 0 : lowerBound(keys, after);
      if (first && keys[at] === after) at++;
      for (; at < keys.length; at++) yield [keys[at] as string, values[at] as V];
    }
  }

  /** The values in key order. The map must not be changed during the walk. */
  *values(): Generator<V> {
    for (const { values } of this.chunks) yield* values;
  }

  /** Index of the first chunk whose last key is not below `key`; `chunks.length` when there is none. */
  private chunkOf(key: string): number {
    let low = 0;
    let high = this.chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const { keys } = this.chunks[middle] as Chunk<V>;
      // No chunk is empty.
      if ((keys[keys.length - 1] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}
