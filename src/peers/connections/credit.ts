/** Credit for useful messages decides which peers keep their slots when all are taken. Page 04 §25. */
import type { Clock } from "../../interfaces.ts";

/**
 * A contribution of a peer to our chain. Each cost stake or a fee, so credit is never free. A transaction counts once a
 * block contains it.
 */
export type Contribution = "block" | "microBlock" | "transaction";

/** Points per contribution. One peer may bring most transactions; a block comes once a minute. */
const POINTS: Readonly<Record<Contribution, number>> = { block: 20, microBlock: 5, transaction: 1 };
const HALF_LIFE_MS = 1_800_000;
/** Maximum points: credit must end within some hours. */
const MAX_CREDIT = 500;
const MIN_CREDIT = 0.5;

export class Credit {
  readonly #clock: Clock;
  #points = 0;
  #at: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#at = clock.monotonic();
  }

  /** Monotonic time of the last contribution, or of construction, ms. */
  get since(): number {
    return this.#at;
  }

  /** Current points: 0, or 0.5 to 500. */
  get points(): number {
    const points = this.#points * 0.5 ** ((this.#clock.monotonic() - this.#at) / HALF_LIFE_MS);
    return points < MIN_CREDIT ? 0 : points;
  }

  add(what: Contribution, count = 1): void {
    this.#points = Math.min(MAX_CREDIT, this.points + POINTS[what] * count);
    this.#at = this.#clock.monotonic();
  }
}
