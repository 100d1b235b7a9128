/** Counts work in units of about a nanosecond. The count is the same on every machine. */

/** The run exceeded its work limit. The transaction may still be valid. */
export class WorkLimitError extends Error {
  override readonly name = "WorkLimitError";
}

export class ScriptWork {
  readonly maxPerRun: number;
  #used = 0;
  #limit: number;

  /** @param maxPerRun work units; default: unlimited, as in blocks */
  constructor(maxPerRun = Number.POSITIVE_INFINITY) {
    this.maxPerRun = maxPerRun;
    this.#limit = maxPerRun;
  }

  get used(): number {
    return this.#used;
  }

  beginRun(): void {
    this.#limit = this.#used + this.maxPerRun;
  }

  /**
   * Counts work before it is done.
   * @throws WorkLimitError above the run's limit
   */
  charge(units: number): void {
    this.#used += units;
    if (this.#used > this.#limit) throw new WorkLimitError("The script exceeded its work limit");
  }
}
