interface CacheBounds {
  readonly entries?: number;
  /** Maximum total weight, such as bytes; default: unlimited. */
  readonly weight?: number;
}

interface Entry<V> {
  readonly key: string;
  readonly value: V;
  readonly weight: number;
  older: Entry<V> | undefined;
  newer: Entry<V> | undefined;
}

/** An LRU cache. Evicts the entry that was least recently written, or read with `use`; `get` does not count. */
export class BoundedCache<V> {
  readonly #maxEntries: number;
  readonly #maxWeight: number;
  readonly #entries = new Map<string, Entry<V>>();
  #oldest: Entry<V> | undefined;
  #newest: Entry<V> | undefined;
  #weight = 0;

  constructor({ entries = Number.POSITIVE_INFINITY, weight = Number.POSITIVE_INFINITY }: CacheBounds) {
    this.#maxEntries = entries;
    this.#maxWeight = weight;
  }

  get size(): number {
    return this.#entries.size;
  }

  get weight(): number {
    return this.#weight;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  get(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Makes the entry the newest. */
  use(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#unlink(entry);
    this.#append(entry);
    return entry.value;
  }

  /** Stores a value unless its weight exceeds the bound. @returns the value */
  set(key: string, value: V, weight = 0): V {
    this.delete(key);
    if (weight > this.#maxWeight) return value;
    const entry = { key, value, weight, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#weight += weight;
    for (let oldest = this.#oldest; oldest !== undefined && this.#exceedsBounds; oldest = this.#oldest)
      this.delete(oldest.key);
    return value;
  }

  delete(key: string): void {
    const entry = this.#entries.get(key);
    if (entry === undefined) return;
    this.#entries.delete(key);
    this.#unlink(entry);
    this.#weight -= entry.weight;
  }

  clear(): void {
    this.#entries.clear();
    this.#oldest = undefined;
    this.#newest = undefined;
    this.#weight = 0;
  }

  /** Yields the oldest entry first. The last yielded entry may be deleted during the iteration. */
  *entries(): Generator<[string, V]> {
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer) yield [entry.key, entry.value];
  }

  get #exceedsBounds(): boolean {
    return this.#entries.size > this.#maxEntries || this.#weight > this.#maxWeight;
  }

  #append(entry: Entry<V>): void {
    entry.older = this.#newest;
    entry.newer = undefined;
    if (this.#newest === undefined) this.#oldest = entry;
    else this.#newest.newer = entry;
    this.#newest = entry;
  }

  #unlink({ older, newer }: Entry<V>): void {
    if (older === undefined) this.#oldest = newer;
    else older.newer = newer;
    if (newer === undefined) this.#newest = older;
    else newer.older = older;
  }
}
