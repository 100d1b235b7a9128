import type { Clock, Log } from "../interfaces.ts";

/** A larger jump of the wall clock means that it was set. */
const CLOCK_CHANGE_TOLERANCE_MS = 2_000;
/** How far the clock may be behind the newest block without a warning. */
const BEHIND_TOLERANCE_MS = 2_000;

interface ClockMonitorDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** In ms since 1970. */
  readonly newestBlockTime: () => number;
}

export class ClockMonitor {
  readonly #dependencies: ClockMonitorDependencies;
  /** Wall clock minus monotonic clock, ms. */
  #offset: number;
  #wasBehind = false;

  constructor(dependencies: ClockMonitorDependencies) {
    this.#dependencies = dependencies;
    this.#offset = this.#measureOffset();
  }

  /** Returns true, and logs, if the clock was set since the last call. */
  detectChange(): boolean {
    const offset = this.#measureOffset();
    const change = offset - this.#offset;
    this.#offset = offset;
    if (Math.abs(change) <= CLOCK_CHANGE_TOLERANCE_MS) return false;
    this.#dependencies.log.warn(`The clock was set ${change > 0 ? "forward" : "back"}`, {
      seconds: Math.round(Math.abs(change) / 1000),
    });
    return true;
  }

  /** Logs when the clock falls behind the newest block, and when it has caught up. */
  report(): void {
    const { log } = this.#dependencies;
    const isBehind = this.fault !== undefined;
    if (isBehind === this.#wasBehind) return;
    this.#wasBehind = isBehind;
    if (isBehind)
      log.warn("The clock is behind the newest block: forging is paused until it has caught up", {
        seconds: Math.ceil(this.#behindMs / 1000),
      });
    else log.info("The clock has caught up with the newest block");
  }

  get fault(): string | undefined {
    const behindMs = this.#behindMs;
    if (behindMs <= BEHIND_TOLERANCE_MS) return undefined;
    return `The clock is ${Math.ceil(behindMs / 1000)} s behind the newest block`;
  }

  get #behindMs(): number {
    return this.#dependencies.newestBlockTime() - this.#dependencies.clock.now();
  }

  #measureOffset(): number {
    const { clock } = this.#dependencies;
    return clock.now() - clock.monotonic();
  }
}
