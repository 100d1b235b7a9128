/** What accounts and sources owe for scripts that ran for nothing. */
import { BoundedCache } from "../collections/bounded-cache.ts";
import type { Clock } from "../interfaces.ts";

/** Work, in units of `ScriptWork`: about a nanosecond each. */
const MILLISECOND = 1_000_000;
/**
 * What a refused run may take without being remembered: five checks of a signature. Anybody can send what the script of
 * another account refuses, and must not be able to keep that one waiting with scripts as people write them.
 */
export const ORDINARY_SCRIPT_WORK: number = MILLISECOND / 2;

/** How much may be owed. */
interface PenaltyLimits {
  /** Who owes more waits. */
  readonly max: number;
  /** So much of a debt is forgiven in a second. */
  readonly decayPerSecond: number;
}

export const SENDER_PENALTIES: PenaltyLimits = { max: 20 * MILLISECOND, decayPerSecond: MILLISECOND };
/** Some 250 accounts that owe all they may, time and again: a quarter of a thread. */
export const SOURCE_PENALTIES: PenaltyLimits = {
  max: 1_000 * MILLISECOND,
  decayPerSecond: 250 * MILLISECOND,
};

/** Debtors remembered. To have one forgotten takes costly runs of as many others, each of which paid for its script. */
const MAX_KEYS = 10_000;

interface Debt {
  readonly units: number;
  /** When it was so much, ms. */
  readonly at: number;
}

/**
 * Costly runs of scripts that refused what somebody sent: nobody pays for them, so that their account waits, and less is
 * done for whoever brought them. It decides about the pool alone, never about a block.
 */
export class ScriptPenalties {
  readonly #debts = new BoundedCache<Debt>({ entries: MAX_KEYS });
  readonly #clock: Pick<Clock, "monotonic">;

  readonly #limits: PenaltyLimits;

  constructor(clock: Pick<Clock, "monotonic">, limits: PenaltyLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Whether nobody owes anything. */
  get isEmpty(): boolean {
    return this.#debts.size === 0;
  }

  /** Whether a debtor owes more than it may. */
  isThrottled(key: string): boolean {
    return this.#owed(key) > this.#limits.max;
  }

  /** A script has refused something after so much work. */
  add(key: string, units: number): void {
    if (units <= ORDINARY_SCRIPT_WORK) return;
    this.#debts.set(key, { units: this.#owed(key) + units, at: this.#clock.monotonic() });
  }

  #owed(key: string): number {
    const debt = this.#debts.get(key);
    if (debt === undefined) return 0;
    const passed = this.#clock.monotonic() - debt.at;
    return Math.max(0, debt.units - (passed / 1000) * this.#limits.decayPerSecond);
  }
}
