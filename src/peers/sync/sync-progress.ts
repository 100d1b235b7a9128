import type { Clock } from "../../interfaces.ts";

export interface SyncProgress {
  readonly height: number;
  readonly score: bigint;
  /** Better chain, proven by blocks (`behind-watch.ts`); undefined: this node is not behind. */
  readonly target: SyncTarget | undefined;
  /** Better chain that a peer claims without proof; undefined: no claim. */
  readonly claimed: SyncTarget | undefined;
  /** Means of the last 30 s. */
  readonly blocksPerSecond: number;
  readonly transactionsPerSecond: number;
  /** Remaining time at the current rate; undefined: unknown. */
  readonly secondsLeft: number | undefined;
}

export interface SyncTarget {
  readonly peer: string;
  readonly score: bigint;
  /** Height of the chain; for a claim, an estimate from the score. */
  readonly height: number;
}

const WINDOW_MS = 30_000;
const SLICE_MS = 1_000;

interface Slice {
  readonly at: number;
  blocks: number;
  transactions: number;
}

export class SyncRate {
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #slices: Slice[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.monotonic();
  }

  add(blocks: number, transactions: number): void {
    const now = this.#clock.monotonic();
    let last = this.#slices.at(-1);
    if (last === undefined || now - last.at >= SLICE_MS) {
      this.#expire(now);
      last = { at: now, blocks: 0, transactions: 0 };
      this.#slices.push(last);
    }
    last.blocks += blocks;
    last.transactions += transactions;
  }

  get(): { readonly blocks: number; readonly transactions: number } {
    const now = this.#clock.monotonic();
    this.#expire(now);
    const seconds = Math.max(SLICE_MS, Math.min(WINDOW_MS, now - this.#startedAt)) / 1_000;
    let [blocks, transactions] = [0, 0];
    for (const slice of this.#slices) {
      blocks += slice.blocks;
      transactions += slice.transactions;
    }
    return { blocks: blocks / seconds, transactions: transactions / seconds };
  }

  #expire(now: number): void {
    while (this.#slices.length > 0 && now - this.#slices[0].at > WINDOW_MS) this.#slices.shift();
  }
}
