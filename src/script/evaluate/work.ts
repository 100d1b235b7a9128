/**
 * The work of runs is counted, not timed: the same script does the same work on every machine. A unit is
 * about a nanosecond on a current machine (`bench/script-cost.ts`).
 */

/** A run exceeded its work limit. This says nothing about the validity of a transaction. */
export class WorkLimitError extends Error {
  override readonly name = "WorkLimitError";
}

export class ScriptWork {
  readonly maxPerRun: number;
  #used = 0;
  #end: number;

  /** @param maxPerRun limit of a single run; unlimited by default, as for blocks */
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
   * Counts work before it is done.
   * @throws WorkLimitError if it exceeds the limit of the run
   */
  charge(units: number): void {
    this.#used += units;
    if (this.#used > this.#end) throw new WorkLimitError("A script takes more work than it was given");
  }
}
