/** Rate limits. Page 04 §25. */
import type { Clock } from "../interfaces.ts";

export interface Budget {
  readonly perSecond: number;
  readonly burst: number;
}

export class TokenBucket {
  readonly #clock: Clock;
  readonly #budget: Budget;
  #level: number;
  #filledAt: number;

  constructor(clock: Clock, budget: Budget) {
    this.#clock = clock;
    this.#budget = budget;
    this.#level = budget.burst;
    this.#filledAt = clock.monotonic();
  }

  /** True if the bucket equals a new one: it can be dropped. */
  get isFull(): boolean {
    this.#fill();
    return this.#level >= this.#budget.burst;
  }

  /** Takes no tokens and returns false if the bucket has fewer than `count`. */
  take(count = 1): boolean {
    this.#fill();
    if (this.#level < count) return false;
    this.#level -= count;
    return true;
  }

  /**
   * Takes `count` tokens even if the bucket has fewer: its level is then negative.
   * @returns ms until the level is not negative
   */
  charge(count: number): number {
    this.#fill();
    this.#level -= count;
    return this.#level >= 0 ? 0 : Math.ceil((-this.#level * 1_000) / this.#budget.perSecond);
  }

  refund(count: number): void {
    this.#level += count;
  }

  #fill(): void {
    const now = this.#clock.monotonic();
    const elapsed = now - this.#filledAt;
    this.#filledAt = now;
    this.#level = Math.min(this.#budget.burst, this.#level + (elapsed * this.#budget.perSecond) / 1_000);
  }
}

const MIN_SWEEP_INTERVAL_MS = 1_000;

/** One bucket per key. At capacity, drops full buckets; if none is full, further keys share one bucket. */
export class BudgetTable {
  readonly #clock: Clock;
  readonly #budget: Budget;
  readonly #capacity: number;
  readonly #buckets = new Map<string, TokenBucket>();
  readonly #shared: TokenBucket;
  #sweptAt: number;

  constructor(clock: Clock, budget: Budget, capacity: number) {
    this.#clock = clock;
    this.#budget = budget;
    this.#capacity = capacity;
    this.#shared = new TokenBucket(clock, budget);
    this.#sweptAt = clock.monotonic();
  }

  get size(): number {
    return this.#buckets.size;
  }

  take(key: string, count = 1): boolean {
    return this.#bucket(key).take(count);
  }

  charge(key: string, count: number): number {
    return this.#bucket(key).charge(count);
  }

  refund(key: string, count: number): void {
    this.#bucket(key).refund(count);
  }

  #bucket(key: string): TokenBucket {
    const existing = this.#buckets.get(key);
    if (existing !== undefined) return existing;
    if (this.#buckets.size >= this.#capacity) this.#dropFullBuckets();
    if (this.#buckets.size >= this.#capacity) return this.#shared;
    const bucket = new TokenBucket(this.#clock, this.#budget);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  #dropFullBuckets(): void {
    const now = this.#clock.monotonic();
    if (now - this.#sweptAt < MIN_SWEEP_INTERVAL_MS) return;
    this.#sweptAt = now;
    for (const [key, bucket] of this.#buckets) if (bucket.isFull) this.#buckets.delete(key);
  }
}
