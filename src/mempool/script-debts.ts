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
interface DebtLimits {
  /** Who owes more waits. */
  readonly most: number;
  /** So much of a debt is forgiven in a second. */
  readonly forgiven: number;
}

export const DEBTS_OF_SENDER: DebtLimits = { most: 20 * MILLISECOND, forgiven: MILLISECOND };
/** Some 250 accounts that owe all they may, time and again: a quarter of a thread. */
export const DEBTS_OF_SOURCE: DebtLimits = { most: 1_000 * MILLISECOND, forgiven: 250 * MILLISECOND };

/** Debtors remembered. To have one forgotten takes costly runs of as many others, each of which paid for its script. */
const MAX_DEBTORS = 10_000;

interface Debt {
  readonly units: number;
  /** When it was so much, ms. */
  readonly at: number;
}

/**
 * Costly runs of scripts that refused what somebody sent: nobody pays for them, so that their account waits, and less is
 * done for whoever brought them. It decides about the pool alone, never about a block.
 */
export class ScriptDebts {
  readonly #debts = new BoundedCache<Debt>({ entries: MAX_DEBTORS });
  readonly #clock: Pick<Clock, "monotonic">;

  readonly #limits: DebtLimits;

  constructor(clock: Pick<Clock, "monotonic">, limits: DebtLimits) {
    this.#clock = clock;
    this.#limits = limits;
  }

  /** Whether nobody owes anything. */
  get isEmpty(): boolean {
    return this.#debts.size === 0;
  }

  /** Whether a debtor owes more than it may. */
  isWaiting(key: string): boolean {
    return this.#owed(key) > this.#limits.most;
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
    return Math.max(0, debt.units - (passed / 1000) * this.#limits.forgiven);
  }
}
