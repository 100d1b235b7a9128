/** How far this node is behind others, and how fast it catches up. Only proven blocks count: `behind-watch.ts`. */
import type { Clock } from "../../interfaces.ts";

/** What is known of a sync, as plain data. */
export interface SyncProgress {
  readonly height: number;
  readonly score: bigint;
  /** The better chain, proved by blocks, that this node fetches; undefined: it is not behind. */
  readonly target: SyncTarget | undefined;
  /** The claim of the peer that is asked next; undefined: no peer claims to be ahead. It proves nothing. */
  readonly claimed: SyncTarget | undefined;
  /** Over the last half minute. */
  readonly blocksPerSecond: number;
  readonly transactionsPerSecond: number;
  /** Seconds until the target is reached, by the rate of now; undefined while nothing is known of it. */
  readonly secondsLeft: number | undefined;
}

export interface SyncTarget {
  /** The peer's address. */
  readonly peer: string;
  readonly score: bigint;
  /** Where its chain ends, about, if its blocks are as the newest ones here: it does not say. */
  readonly height: number;
}

const WINDOW_MS = 30_000;
const SLICE_MS = 1_000;

interface Slice {
  readonly at: number;
  blocks: number;
  transactions: number;
}

/** Counts what the last half minute brought. */
export class SyncRate {
  readonly #clock: Clock;
  readonly #since: number;
  readonly #slices: Slice[] = [];

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.monotonic();
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

  /** Blocks and transactions a second. */
  get(): { readonly blocks: number; readonly transactions: number } {
    const now = this.#clock.monotonic();
    this.#expire(now);
    const seconds = Math.max(SLICE_MS, Math.min(WINDOW_MS, now - this.#since)) / 1_000;
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
