/**
 * The work of runs, counted and not timed: the same script does the same work on every machine. A unit is about what a
 * nanosecond is worth on a machine of today (`bench/script-cost.ts`).
 */

/** A run takes more work than it was given. It says nothing about the validity of a transaction. */
export class WorkLimitError extends Error {
  override readonly name = "WorkUsedUpError";
}

/** Counts the work of runs, one after the other. */
export class ScriptWork {
  /** What a single run may take. */
  readonly maxPerRun: number;
  #used = 0;
  #end: number;

  /** @param ofRun what a single run may take; without it any amount, as where a block is judged */
  constructor(ofRun = Number.POSITIVE_INFINITY) {
    this.maxPerRun = ofRun;
    this.#end = ofRun;
  }

  /** Units of all runs. */
  get used(): number {
    return this.#used;
  }

  /** Says that another run begins. */
  beginRun(): void {
    this.#end = this.#used + this.maxPerRun;
  }

  /**
   * Counts work that is about to be done.
   * @throws WorkUsedUpError instead of letting it be done
   */
  charge(units: number): void {
    this.#used += units;
    if (this.#used > this.#end) throw new WorkLimitError("A script takes more work than it was given");
  }
}
