import type { Clock, Log } from "../interfaces.ts";

/** What the clock may run apart from the time that passes, between two looks, without being set by somebody, ms. */
const CLOCK_CHANGE_TOLERANCE_MS = 2_000;
/** The newest block may be so much newer than the clock says without a word, ms: clocks of nodes differ a little. */
const BEHIND_TOLERANCE_MS = 2_000;

interface ClockMonitorDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Timestamp of the newest key block, ms. */
  readonly newest: () => number;
}

/** Says when somebody set the clock, and when it is behind the newest block: nothing can be forged then. */
export class ClockMonitor {
  readonly #dependencies: ClockMonitorDependencies;
  /** What the clock shows more than the time that passes. */
  #ahead: number;
  #wasBehind = false;

  constructor(dependencies: ClockMonitorDependencies) {
    this.#dependencies = dependencies;
    this.#ahead = this.#measure();
  }

  /** Whether the clock was set since the last look. */
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

  /** Says once that the clock is behind the newest block, and once that it is no more. */
  report(): void {
    const { log } = this.#dependencies;
    const isBehind = this.fault !== undefined;
    if (isBehind === this.#wasBehind) return;
    this.#wasBehind = isBehind;
    if (isBehind)
      log.warn("The clock is behind the newest block: nothing is forged until it has caught up", {
        seconds: Math.ceil(this.#behind / 1000),
      });
    else log.info("The clock is not behind the newest block any more");
  }

  /** What keeps the clock from being one to forge by. */
  get fault(): string | undefined {
    const behind = this.#behind;
    if (behind <= BEHIND_TOLERANCE_MS) return undefined;
    return `The clock is ${Math.ceil(behind / 1000)} s behind the newest block`;
  }

  get #behind(): number {
    return this.#dependencies.newest() - this.#dependencies.clock.now();
  }

  #measure(): number {
    const { clock } = this.#dependencies;
    return clock.now() - clock.monotonic();
  }
}
