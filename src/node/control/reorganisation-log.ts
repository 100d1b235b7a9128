import type { Reorganisation, Reorganisations } from "../../control/index.ts";
import type { AppliedUnit, Clock, UnitChanges } from "../../interfaces.ts";

const MAX_REORGANISATIONS = 50;
const MAX_LISTED_IDS = 20;

/** Records changes that revert key blocks, in memory. */
export class ReorganisationLog {
  /** The log is complete from this time on, ms since 1970. */
  readonly since: number;
  readonly #clock: Pick<Clock, "now">;
  readonly #newest: Reorganisation[] = [];
  #count = 0;

  constructor(clock: Pick<Clock, "now">) {
    this.#clock = clock;
    this.since = clock.now();
  }

  follow({ reverted, committed }: UnitChanges): void {
    const lowest = reverted.findLast(({ sequence }) => sequence === 0)?.height;
    if (lowest === undefined) return;
    // `reverted` is newest first.
    const revertedIds = idsByHeight([...reverted].reverse(), lowest);
    const committedIds = idsByHeight(committed, lowest);
    this.#count++;
    this.#newest.unshift({
      timestamp: this.#clock.now(),
      commonHeight: lowest - 1,
      revertedCount: revertedIds.length,
      reverted: revertedIds.slice(0, MAX_LISTED_IDS),
      committedCount: committedIds.length,
      committed: committedIds.slice(0, MAX_LISTED_IDS),
    });
    this.#newest.splice(MAX_REORGANISATIONS);
  }

  get info(): Reorganisations {
    return { since: this.since, count: this.#count, newest: this.#newest };
  }
}

function idsByHeight(units: readonly AppliedUnit[], lowest: number): Uint8Array[] {
  const ids = new Map<number, Uint8Array>();
  for (const { height, id } of units) if (height >= lowest) ids.set(height, id);
  return [...ids.values()];
}
