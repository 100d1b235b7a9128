/** Budgets: how much of something a peer may have, in the long run and at once. Page 04 §25. */
import type { Clock } from "../interfaces.ts";

/** So many tokens each second, and as many at once as gathered in quiet times. */
export interface Budget {
  readonly perSecond: number;
  readonly burst: number;
}

/** A budget in use: it begins full, and fills up as time goes by. */
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

  /** Whether nothing was taken, or all of it has come back: it is then as good as a new one. */
  get isFull(): boolean {
    this.#fill();
    return this.#level >= this.#budget.burst;
  }

  /** Takes so many tokens, or none when there are not so many. */
  take(count = 1): boolean {
    this.#fill();
    if (this.#level < count) return false;
    this.#level -= count;
    return true;
  }

  /**
   * Takes so many tokens, there or not, for what has happened already.
   * @returns milliseconds until nothing is owed any more: how long to pause; 0 when nothing is owed
   */
  charge(count: number): number {
    this.#fill();
    this.#level -= count;
    return this.#level >= 0 ? 0 : Math.ceil((-this.#level * 1_000) / this.#budget.perSecond);
  }

  /** Gives tokens back that were charged, and should not have been. */
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

const SWEEP_MS = 1_000;

/**
 * A budget for each of many keys, such as the origins of connections: those who come back get what they left. Nobody who
 * owes something is forgotten: when too many do, all further ones share one budget.
 */
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

  /** Number of keys that are remembered. */
  get size(): number {
    return this.#buckets.size;
  }

  /** As `TokenBucket.take`. */
  take(key: string, count = 1): boolean {
    return this.#bucket(key).take(count);
  }

  /** As `TokenBucket.charge`. */
  charge(key: string, count: number): number {
    return this.#bucket(key).charge(count);
  }

  /** As `TokenBucket.refund`. */
  refund(key: string, count: number): void {
    this.#bucket(key).refund(count);
  }

  #bucket(key: string): TokenBucket {
    const known = this.#buckets.get(key);
    if (known !== undefined) return known;
    if (this.#buckets.size >= this.#capacity) this.#sweep();
    if (this.#buckets.size >= this.#capacity) return this.#shared;
    const bucket = new TokenBucket(this.#clock, this.#budget);
    this.#buckets.set(key, bucket);
    return bucket;
  }

  /** Drops full buckets, which say no more than none; not for each newcomer, since it looks at all. */
  #sweep(): void {
    const now = this.#clock.monotonic();
    if (now - this.#sweptAt < SWEEP_MS) return;
    this.#sweptAt = now;
    for (const [key, bucket] of this.#buckets) if (bucket.isFull) this.#buckets.delete(key);
  }
}
