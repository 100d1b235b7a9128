/** What a peer has done for this node: it decides who keeps a place when places are scarce. Page 04 §25. */
import type { Clock } from "../../interfaces.ts";

/**
 * Something of a peer that is in our chain or pool now, and was not before: it cost stake, work or a fee, so that nobody
 * can have credit for nothing.
 */
export type Contribution = "block" | "microBlock" | "transaction";

/** A block comes once a minute, and most transactions are brought by one peer among dozens. */
const POINTS: Readonly<Record<Contribution, number>> = { block: 20, microBlock: 5, transaction: 1 };
/** Credit is half of what it was after this time. */
const HALF_LIFE_MS = 1_800_000;
/** A peer that has served thousands of blocks lives on it for some hours, not for ever. */
const MAX_CREDIT = 500;
/** Less than this is nothing. */
const MIN_CREDIT = 0.5;

/** Points of one peer, which fade with time. */
export class Credit {
  readonly #clock: Clock;
  #points = 0;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** When something was added last, or when it began, by the clock that nobody sets, ms. */
  get since(): number {
    return this.#at;
  }

  /** Points as of now: 0, or 0.5 to 500. */
  get points(): number {
    const points = this.#points * 0.5 ** ((this.#clock.monotonic() - this.#at) / HALF_LIFE_MS);
    return points < MIN_CREDIT ? 0 : points;
  }

  /** @param count so many of them, at least 1 */
  add(what: Contribution, count = 1): void {
    this.#points = Math.min(MAX_CREDIT, this.points + POINTS[what] * count);
    this.#at = this.#clock.monotonic();
  }
}
