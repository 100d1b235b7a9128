import { BoundedCache } from "../collections/bounded-cache.ts";
import type { Clock } from "../interfaces.ts";

/** Units of `ScriptWork` that take about a millisecond. */
const WORK_PER_MS = 1_000_000;
/** A refused run with at most this work adds no penalty: anyone can cause such runs of another account's script. */
export const ORDINARY_SCRIPT_WORK: number = WORK_PER_MS / 2;

/** In units of `ScriptWork`. */
interface PenaltyLimits {
  /** An account or source with a higher penalty is throttled. */
  readonly max: number;
  readonly decayPerSecond: number;
}

export const SENDER_PENALTIES: PenaltyLimits = { max: 20 * WORK_PER_MS, decayPerSecond: WORK_PER_MS };
/** Decays as fast as the penalties of 250 senders together. */
export const SOURCE_PENALTIES: PenaltyLimits = {
  max: 1_000 * WORK_PER_MS,
  decayPerSecond: 250 * WORK_PER_MS,
};

/** To evict a penalty, an attacker needs costly runs of this many other accounts. */
const MAX_KEYS = 10_000;

interface Penalty {
  /** Units of `ScriptWork` at the time `at`. */
  readonly units: number;
  /** Monotonic, ms. */
  readonly at: number;
}

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
    const penalty = this.#penalties.get(key);
    if (penalty === undefined) return 0;
    const passed = this.#clock.monotonic() - penalty.at;
    return Math.max(0, penalty.units - (passed / 1000) * this.#limits.decayPerSecond);
  }
}
