import { originOf } from "../bytes/ip.ts";

export interface OriginCounts {
  readonly total: number;
  /** @param origin result of `originOf` */
  of(origin: string): number;
  /** @param change 1 or -1 */
  add(origin: string, change: number): void;
}

export class LocalOriginCounts implements OriginCounts {
  readonly #byOrigin = new Map<string, number>();
  #total = 0;

  get total(): number {
    return this.#total;
  }

  of(origin: string): number {
    return this.#byOrigin.get(origin) ?? 0;
  }

  add(origin: string, change: number): void {
    this.#total += change;
    const count = this.of(origin) + change;
    if (count > 0) this.#byOrigin.set(origin, count);
    else this.#byOrigin.delete(origin);
  }
}

/** Runs a task while no other thread uses the counts. */
export type RunExclusively = <T>(task: () => T) => T;

export const runUnlocked: RunExclusively = (task) => task();

/** Limits connections, in total and per origin. Page 04 §4.2. */
export class OriginSlots {
  readonly #max: number;
  readonly #maxPerOrigin: number;
  readonly #counts: OriginCounts;
  readonly #runExclusively: RunExclusively;

  /** @param runExclusively must lock if other threads use the counts */
  constructor(
    max: number,
    maxPerOrigin: number,
    counts: OriginCounts = new LocalOriginCounts(),
    runExclusively = runUnlocked,
  ) {
    this.#max = max;
    this.#maxPerOrigin = maxPerOrigin;
    this.#counts = counts;
    this.#runExclusively = runExclusively;
  }

  get total(): number {
    return this.#counts.total;
  }

  get isFull(): boolean {
    return this.total >= this.#max;
  }

  isFullFor(host: string): boolean {
    const origin = originOf(host);
    return this.#runExclusively(() => this.#counts.of(origin) >= this.#maxPerOrigin);
  }

  /**
   * @param host undefined: only the total is limited
   * @returns a function that releases the slot; undefined if no slot is free
   */
  take(host: string | undefined): (() => void) | undefined {
    const origin = host === undefined ? "" : originOf(host);
    const isTaken = this.#runExclusively(() => {
      if (this.isFull || (host !== undefined && this.#counts.of(origin) >= this.#maxPerOrigin)) return false;
      this.#counts.add(origin, 1);
      return true;
    });
    if (!isTaken) return undefined;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      this.#runExclusively(() => this.#counts.add(origin, -1));
    };
  }
}
