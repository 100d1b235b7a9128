/** What is remembered for a while, and never more than so much of it. */
import { BoundedCache } from "../collections/bounded-cache.ts";
import type { Clock } from "../interfaces.ts";

interface Entry<V> {
  readonly value: V;
  /** As the clock showed it, for those who list entries: ms since 1970. */
  readonly since: number;
  /** By a clock that nobody sets. */
  readonly writtenAt: number;
}

/**
 * A map whose entries vanish a fixed time after they were written: reading does not prolong it, writing again does.
 * When it is full, a new entry pushes out the oldest. Page 04 §14, §17, §27.
 */
export class ExpiringMap<V> {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  /** In the order of writing, which is that of expiry. */
  readonly #entries: BoundedCache<Entry<V>>;

  constructor(clock: Clock, lifetimeMs: number, capacity: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#entries = new BoundedCache({ entries: capacity });
  }

  /** Number of entries that are alive. */
  get size(): number {
    this.#expire();
    return this.#entries.size;
  }

  get(key: string): V | undefined {
    return this.#live(key)?.value;
  }

  has(key: string): boolean {
    return this.#live(key) !== undefined;
  }

  /** Writes an entry, and begins its lifetime anew. */
  set(key: string, value: V): void {
    this.#expire();
    const clock = this.#clock;
    this.#entries.set(key, { value, since: clock.now(), writtenAt: clock.monotonic() });
  }

  delete(key: string): void {
    this.#entries.delete(key);
  }

  clear(): void {
    this.#entries.clear();
  }

  /** The entries that are alive, oldest first, with the time at which each was written: ms since 1970, and monotonic. */
  *entries(): Generator<{ readonly key: string } & Entry<V>> {
    this.#expire();
    for (const [key, entry] of this.#entries.entries()) yield { key, ...entry };
  }

  #live(key: string): Entry<V> | undefined {
    const entry = this.#entries.get(key);
    return entry === undefined || this.#isExpired(entry) ? undefined : entry;
  }

  #isExpired({ writtenAt }: Entry<V>): boolean {
    return this.#clock.monotonic() - writtenAt >= this.#lifetimeMs;
  }

  #expire(): void {
    for (const [key, entry] of this.#entries.entries()) {
      if (!this.#isExpired(entry)) return;
      this.#entries.delete(key);
    }
  }
}
