/** Credit for useful messages decides which peers keep their slots when all are taken. Page 04 §25. */
import type { Clock } from "../../interfaces.ts";

export type Contribution = "block" | "microBlock" | "transaction";

const POINTS: Readonly<Record<Contribution, number>> = { block: 20, microBlock: 5, transaction: 1 };
const HALF_LIFE_MS = 1_800_000;
/** Decays to less than `MIN_CREDIT` within five hours. */
const MAX_CREDIT = 500;
/** Less counts as 0. */
const MIN_CREDIT = 0.5;

export class Credit {
  readonly #clock: Clock;
  #points = 0;
  #lastAddedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#lastAddedAt = clock.monotonic();
  }

  /** Monotonic time of the last contribution, or of construction, ms. */
  get lastAddedAt(): number {
    return this.#lastAddedAt;
  }

  /** Current points: 0, or 0.5 to 500. */
  get points(): number {
    const points = this.#points * 0.5 ** ((this.#clock.monotonic() - this.#lastAddedAt) / HALF_LIFE_MS);
    return points < MIN_CREDIT ? 0 : points;
  }

  add(contribution: Contribution, count = 1): void {
    this.#points = Math.min(MAX_CREDIT, this.points + POINTS[contribution] * count);
    this.#lastAddedAt = this.#clock.monotonic();
  }
}
