/** Keys kept in order in memory: an insertion moves at most one chunk, so a hundred thousand stay cheap. */

const CHUNK = 512;

/** Index of the first entry that is not below `key`. */
function lowerBound(chunk: readonly string[], key: string): number {
  let low = 0;
  let high = chunk.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (chunk[middle] < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** An ordered set of texts; for texts of one character per byte the order is that of the bytes. */
export class SortedKeys {
  private chunks: string[][];
  private changes = 0;

  constructor(keys: Iterable<string>) {
    const sorted = [...keys].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
    this.chunks = [];
    for (let i = 0; i < sorted.length; i += CHUNK) this.chunks.push(sorted.slice(i, i + CHUNK));
  }

  /** Index of the first chunk whose last key is not below `key`. */
  private chunkOf(key: string): number {
    let low = 0;
    let high = this.chunks.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const chunk = this.chunks[middle];
      if (chunk[chunk.length - 1] < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Adds a key; adding it again changes nothing. */
  add(key: string): void {
    this.changes++;
    if (this.chunks.length === 0) {
      this.chunks.push([key]);
      return;
    }
    const index = Math.min(this.chunkOf(key), this.chunks.length - 1);
    const chunk = this.chunks[index];
    const at = lowerBound(chunk, key);
    if (chunk[at] === key) return;
    chunk.splice(at, 0, key);
    if (chunk.length > 2 * CHUNK) this.chunks.splice(index + 1, 0, chunk.splice(CHUNK));
  }

  /** Keys from `from` (inclusive) up to `to` (exclusive); keys added meanwhile ahead of the walk are met. */
  *upward(from: string | undefined, to: string | undefined): Generator<string> {
    let index = from === undefined ? 0 : this.chunkOf(from);
    let at = from === undefined ? 0 : lowerBound(this.chunks[index] ?? [], from);
    for (;;) {
      const chunk = this.chunks[index];
      if (chunk === undefined) return;
      const key = chunk[at];
      if (key === undefined) {
        index++;
        at = 0;
        continue;
      }
      if (to !== undefined && key >= to) return;
      const seen = this.changes;
      yield key;
      if (seen === this.changes) at++;
      else {
        // The set changed: find the place after the last key again.
        index = this.chunkOf(key);
        at = lowerBound(this.chunks[index] ?? [], key) + 1;
      }
    }
  }

  /** Keys below `to` down to `from` (inclusive), highest first. */
  *downward(from: string | undefined, to: string | undefined): Generator<string> {
    let last = to;
    for (;;) {
      let index =
        last === undefined ? this.chunks.length - 1 : Math.min(this.chunkOf(last), this.chunks.length - 1);
      const start = this.chunks[index];
      if (start === undefined) return;
      let at = (last === undefined ? start.length : lowerBound(start, last)) - 1;
      const seen = this.changes;
      while (seen === this.changes) {
        if (at < 0) {
          index--;
          if (index < 0) return;
          at = this.chunks[index].length - 1;
        }
        const key = this.chunks[index][at];
        if (from !== undefined && key < from) return;
        last = key;
        yield key;
        at--;
      }
    }
  }
}
