/**
 * Counts work instead of time: a script does the same work on every machine. A unit is about a nanosecond
 * (`bench/script-cost.ts`).
 */

/** A run exceeded its work limit, which does not affect the transaction's validity. */
export class WorkLimitError extends Error {
  override readonly name = "WorkLimitError";
}

export class ScriptWork {
  readonly maxPerRun: number;
  #used = 0;
  #end: number;

  /** @param maxPerRun default: unlimited, as for blocks */
  constructor(maxPerRun = Number.POSITIVE_INFINITY) {
    this.maxPerRun = maxPerRun;
    this.#end = maxPerRun;
  }

  get used(): number {
    return this.#used;
  }

  beginRun(): void {
    this.#end = this.#used + this.maxPerRun;
  }

  /**
   * Counts work in advance.
   * @throws WorkLimitError above the run's limit
   */
  charge(units: number): void {
    this.#used += units;
    if (this.#used > this.#end) throw new WorkLimitError("A script takes more work than it was given");
  }
}
