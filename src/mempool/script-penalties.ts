import { BoundedCache } from "../collections/bounded-cache.ts";
import type { Clock } from "../interfaces.ts";

/** In units of `ScriptWork`, about a nanosecond each. */
const MILLISECOND = 1_000_000;
/**
 * Free work of a refused run: five signature checks. Anyone can send a transaction that another account's script
 * refuses, and must not get that account throttled.
 */
export const ORDINARY_SCRIPT_WORK: number = MILLISECOND / 2;

interface PenaltyLimits {
  /** Throttles the account or source above this. */
  readonly max: number;
  readonly decayPerSecond: number;
}

export const SENDER_PENALTIES: PenaltyLimits = { max: 20 * MILLISECOND, decayPerSecond: MILLISECOND };
/** Some 250 accounts continuously at their maximum: a quarter of a thread. */
export const SOURCE_PENALTIES: PenaltyLimits = {
  max: 1_000 * MILLISECOND,
  decayPerSecond: 250 * MILLISECOND,
};

/** Evicting one entry takes costly runs of as many other accounts, each with a paid script. */
const MAX_KEYS = 10_000;

interface Penalty {
  readonly units: number;
  readonly at: number;
}

/**
 * Penalizes accounts and sources for costly script runs that no fee pays for: the account waits, and the source gets
 * less work. Never decides about a block.
 */
export class ScriptPenalties {
  readonly #penalties = new BoundedCache<Penalty>({ entries: MAX_KEYS });
  readonly #clock: Pick<Clock, "monotonic">;

  readonly #limits: PenaltyLimits;

  constructor(clock: Pick<Clock, "monotonic">, limits: PenaltyLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  get isEmpty(): boolean {
    return this.#penalties.size === 0;
  }

  isThrottled(key: string): boolean {
    return this.#penaltyOf(key) > this.#limits.max;
  }

  add(key: string, units: number): void {
    if (units <= ORDINARY_SCRIPT_WORK) return;
    this.#penalties.set(key, { units: this.#penaltyOf(key) + units, at: this.#clock.monotonic() });
  }

  #penaltyOf(key: string): number {
    const debt = this.#penalties.get(key);
    if (debt === undefined) return 0;
    const passed = this.#clock.monotonic() - debt.at;
    return Math.max(0, debt.units - (passed / 1000) * this.#limits.decayPerSecond);
  }
}
