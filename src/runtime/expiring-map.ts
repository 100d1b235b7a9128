import { BoundedCache } from "../collections/bounded-cache.ts";
import type { Clock } from "../interfaces.ts";

interface Entry<V> {
  readonly value: V;
  /** Time of the write, ms since 1970. */
  readonly since: number;
  /** Monotonic time of the write, ms. */
  readonly writtenAt: number;
}

/**
 * A bounded map whose entries expire a fixed time after their last write; reads do not count. A full map evicts its
 * oldest entry. Page 04 §14, §17, §27.
 */
export class ExpiringMap<V> {
  readonly #clock: Clock;
  readonly #lifetimeMs: number;
  /** The order of last writes is also that of expiry. */
  readonly #entries: BoundedCache<Entry<V>>;

  constructor(clock: Clock, lifetimeMs: number, capacity: number) {
    this.#clock = clock;
    this.#lifetimeMs = lifetimeMs;
    this.#entries = new BoundedCache({ entries: capacity });
  }

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

  /** Yields the entries, oldest first. */
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
