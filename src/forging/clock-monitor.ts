import type { Clock, Log } from "../interfaces.ts";

/** A larger difference between wall clock and elapsed time means that the clock was set, ms. */
const CLOCK_CHANGE_TOLERANCE_MS = 2_000;
/** Tolerated time by which the newest block is ahead of the clock, ms. */
const BEHIND_TOLERANCE_MS = 2_000;

interface ClockMonitorDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly newestBlockTime: () => number;
}

export class ClockMonitor {
  readonly #dependencies: ClockMonitorDependencies;
  /** Wall clock minus monotonic clock, ms. */
  #ahead: number;
  #wasBehind = false;

  constructor(dependencies: ClockMonitorDependencies) {
    this.#dependencies = dependencies;
    this.#ahead = this.#measure();
  }

  detectChange(): boolean {
    const ahead = this.#measure();
    const change = ahead - this.#ahead;
    this.#ahead = ahead;
    if (Math.abs(change) <= CLOCK_CHANGE_TOLERANCE_MS) return false;
    this.#dependencies.log.warn(`The clock was set ${change > 0 ? "forward" : "back"}`, {
      seconds: Math.round(Math.abs(change) / 1000),
    });
    return true;
  }

  /** Logs when the clock falls behind the newest block and when it has caught up. */
  report(): void {
    const { log } = this.#dependencies;
    const isBehind = this.fault !== undefined;
    if (isBehind === this.#wasBehind) return;
    this.#wasBehind = isBehind;
    if (isBehind)
      log.warn("The clock is behind the newest block: forging is paused until it has caught up", {
        seconds: Math.ceil(this.#behind / 1000),
      });
    else log.info("The clock has caught up with the newest block");
  }

  get fault(): string | undefined {
    const behind = this.#behind;
    if (behind <= BEHIND_TOLERANCE_MS) return undefined;
    return `The clock is ${Math.ceil(behind / 1000)} s behind the newest block`;
  }

  get #behind(): number {
    return this.#dependencies.newestBlockTime() - this.#dependencies.clock.now();
  }

  #measure(): number {
    const { clock } = this.#dependencies;
    return clock.now() - clock.monotonic();
  }
}
