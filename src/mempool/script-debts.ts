/** What accounts owe for scripts that ran for nothing. */
import { bytesKey } from "../bytes/compare.ts";
import type { Clock } from "../interfaces.ts";

/** Work, in units of `ScriptWork`: about a nanosecond each. */
const MILLISECOND = 1_000_000;
/**
 * What a refused run may take without being remembered: five checks of a signature. Anybody can send what the script of
 * another account refuses, and must not be able to keep that one waiting with scripts as people write them.
 */
const ORDINARY = MILLISECOND / 2;
/** Who owes more waits. */
const MOST = 20 * MILLISECOND;
/** So much of a debt is forgiven in a second. */
const FORGIVEN = MILLISECOND;
/** Accounts remembered. To have one forgotten takes costly runs of as many others, each of which paid for its script. */
const MAX_ACCOUNTS = 10_000;

interface Debt {
  readonly units: number;
  /** When it was so much, ms. */
  readonly at: number;
}

/**
 * Costly runs of scripts that refused what somebody sent: nobody pays for them, so that their account waits. It decides
 * about the pool alone, never about a block.
 */
export class ScriptDebts {
  readonly #debts = new Map<string, Debt>();
  readonly #clock: Pick<Clock, "now">;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
  }

  /** Whether the scripts of an account are not to be run for now. */
  isWaiting(address: Uint8Array): boolean {
    return this.#debts.size > 0 && this.#owed(bytesKey(address)) > MOST;
  }

  /** A script of an account has refused something after so much work. */
  add(address: Uint8Array, units: number): void {
    if (units <= ORDINARY) return;
    const key = bytesKey(address);
    const debt = { units: this.#owed(key) + units, at: this.#clock.now() };
    // The last one charged is the last one to be forgotten.
    this.#debts.delete(key);
    this.#debts.set(key, debt);
    for (const oldest of this.#debts.keys()) {
      if (this.#debts.size <= MAX_ACCOUNTS) break;
      this.#debts.delete(oldest);
    }
  }

  #owed(key: string): number {
    const debt = this.#debts.get(key);
    if (debt === undefined) return 0;
    const passed = Math.max(0, this.#clock.now() - debt.at);
    return Math.max(0, debt.units - (passed / 1000) * FORGIVEN);
  }
}
