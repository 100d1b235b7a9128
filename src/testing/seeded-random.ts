import type { Random } from "../interfaces.ts";

/** A reproducible byte stream (xorshift32). For tests only: it is predictable. */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = (seed ^ 0x9e3779b9) | 0 || 1;
  }

  #next(): number {
    let x = this.#state;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#state = x | 0;
    return x >>> 0;
  }

  bytes(length: number): Uint8Array {
    const out = new Uint8Array(length);
    for (let i = 0; i < length; i++) out[i] = this.#next() >>> 16;
    return out;
  }

  /** Returns an integer from 0 to `bound` (exclusive, at most 2^31). */
  below(bound: number): number {
    return Math.floor((this.#next() / 0x1_0000_0000) * bound);
  }

  /** Returns one of `items`, which must not be empty. */
  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new RangeError("Nothing to pick from");
    return items[this.below(items.length)] as T;
  }

  /** Returns true in `percent` of 100 cases. */
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}
