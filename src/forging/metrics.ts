import { type CounterSeries, counter, gauge, type Metrics, recordOf } from "../runtime/metrics.ts";
import { DiskError } from "../storage/disk/disk-error.ts";

const missReasons = ["quorum", "delay", "stake_changed", "overtaken", "refused", "disk", "error"] as const;

export type MissReason = (typeof missReasons)[number];

/**
 * `scheduled`: the account has a time for its next block; `chain_too_old`: the newest key block is too old to forge on;
 * `provisional`: the chain does not contain the block of `--assume-valid` yet; `scripted`: the account has a script;
 * `low_balance`: the generating balance is below the minimum; `no_time`: the computed time of the next block is outside
 * the range of timestamps.
 */
const accountStates = [
  "scheduled",
  "chain_too_old",
  "provisional",
  "scripted",
  "low_balance",
  "no_time",
] as const;

export type AccountState = (typeof accountStates)[number];

const conditions = ["disabled", "forging", "waiting", "error"] as const;

export type ForgingCondition = (typeof conditions)[number];

export const forgingMetrics = {
  state: gauge(
    "holdfast_forging_state",
    "Is 1 for the current state of forging, 0 for the others. `waiting`: no account can forge now, or the clock is behind the newest block; `error`: disk writes fail, or an internal error stopped forging.",
    { state: conditions },
  ),
  accounts: gauge(
    "holdfast_forging_accounts",
    "Accounts of the wallet by state. `scheduled`: the account will forge a block; `chain_too_old`: the newest block is older than `--interval-after-last-block`; `provisional`: the chain does not contain the block of `--assume-valid` yet; `scripted`: the account has a script; `low_balance`: it has too few tokens; `no_time`: its next forging time is out of range. All are 0 if forging is disabled.",
    { state: accountStates },
  ),
  due: counter(
    "holdfast_forging_blocks_due_total",
    "Key blocks that this node should have forged: the sum of forged and missed blocks.",
  ),
  forged: counter("holdfast_forging_blocks_forged_total", "Key blocks that this node forged."),
  missed: counter(
    "holdfast_forging_blocks_missed_total",
    "Key blocks that this node should have forged, but did not. `quorum`: too few peers; `delay`: the clock was set back; `stake_changed`: the account's script or stake changed meanwhile; `overtaken`: another block arrived while the node was busy; `refused`: the chain refused the block; `disk`: a disk write failed; `error`: an internal error.",
    { reason: missReasons },
  ),
} as const;

/** Every due key block is either forged or missed. */
export class ForgingCounter {
  readonly #due: CounterSeries;
  readonly #forged: CounterSeries;
  readonly #missed: Readonly<Record<MissReason, CounterSeries>>;

  constructor(metrics: Metrics) {
    this.#due = metrics.counter(forgingMetrics.due, {});
    this.#forged = metrics.counter(forgingMetrics.forged, {});
    this.#missed = recordOf(missReasons, (reason) => metrics.counter(forgingMetrics.missed, { reason }));
  }

  countForged(): void {
    this.#due.add();
    this.#forged.add();
  }

  countMissed(reason: MissReason): void {
    this.#due.add();
    this.#missed[reason].add();
  }

  countError(error: unknown): void {
    this.countMissed(error instanceof DiskError ? "disk" : "error");
  }
}

interface ObservedForger {
  readonly condition: ForgingCondition;
  readonly accountStates: Iterable<AccountState>;
}

export function observeForging(metrics: Metrics, forger: ObservedForger): void {
  metrics.observe(forgingMetrics.state, () => {
    const { condition } = forger;
    return conditions.map((state) => [{ state }, state === condition ? 1 : 0] as const);
  });
  metrics.observe(forgingMetrics.accounts, () => {
    const counts = new Map<AccountState, number>();
    for (const state of forger.accountStates) counts.set(state, (counts.get(state) ?? 0) + 1);
    return accountStates.map((state) => [{ state }, counts.get(state) ?? 0] as const);
  });
}
