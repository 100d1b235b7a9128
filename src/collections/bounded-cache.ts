/** Bounds of a cache. */
interface CacheBounds {
  /** Entries at most; any number by default. */
  readonly entries?: number;
  /** Sum of the weights of all entries, such as their bytes; any sum by default. */
  readonly weight?: number;
}

interface Entry<V> {
  readonly key: string;
  readonly value: V;
  readonly weight: number;
  older: Entry<V> | undefined;
  newer: Entry<V> | undefined;
}

/**
 * A cache with an upper bound. Above it, the entry goes that was neither written nor used (`use`) for longest. Each
 * operation takes the same small time, however many entries there are: the entries form a list. (The order of a `Map`
 * would do, but its first entry gets the further to seek the more were deleted before it.)
 */
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

  /** Number of entries. */
  get size(): number {
    return this.#entries.size;
  }

  /** Sum of the weights of the entries. */
  get weight(): number {
    return this.#weight;
  }

  has(key: string): boolean {
    return this.#entries.has(key);
  }

  /** Returns the value of a key, whose place in the order stays as it is. */
  get(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Returns the value of a key, which becomes the newest one. */
  use(key: string): V | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#unlink(entry);
    this.#append(entry);
    return entry.value;
  }

  /** Writes a value, as the newest one; one that is heavier than the bound is not kept. @returns the value */
  set(key: string, value: V, weight = 0): V {
    this.delete(key);
    if (weight > this.#maxWeight) return value;
    const entry = { key, value, weight, older: undefined, newer: undefined };
    this.#entries.set(key, entry);
    this.#append(entry);
    this.#weight += weight;
    for (let oldest = this.#oldest; oldest !== undefined && this.#isFull; oldest = this.#oldest)
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

  /** The entries, oldest first. During the walk, the entry that was yielded last may be deleted. */
  *entries(): Generator<[string, V]> {
    for (let entry = this.#oldest; entry !== undefined; entry = entry.newer) yield [entry.key, entry.value];
  }

  get #isFull(): boolean {
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
