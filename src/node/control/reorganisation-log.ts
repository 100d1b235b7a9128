/** Reorganisations since startup, in memory. */
import type { Reorganisation, Reorganisations } from "../../control/index.ts";
import type { AppliedUnit, Clock, UnitChanges } from "../../interfaces.ts";

const MAX_REORGANISATIONS = 50;
const MAX_IDS = 20;

/** Follows the chain. Reverted micro blocks, common with key blocks, are not a reorganisation. */
export class ReorganisationLog {
  /** Start of the log, ms. */
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
    const gone = idsByHeight([...reverted].reverse(), lowest);
    const came = idsByHeight(committed, lowest);
    this.#count++;
    this.#newest.unshift({
      at: this.#clock.now(),
      commonHeight: lowest - 1,
      revertedCount: gone.length,
      reverted: gone.slice(0, MAX_IDS),
      committedCount: came.length,
      committed: came.slice(0, MAX_IDS),
    });
    this.#newest.splice(MAX_REORGANISATIONS);
  }

  get info(): Reorganisations {
    return { since: this.since, count: this.#count, newest: this.#newest };
  }
}

/** Returns block ids from a height on, lowest first; a block's last unit determines its id. */
function idsByHeight(units: readonly AppliedUnit[], lowest: number): Uint8Array[] {
  const ids = new Map<number, Uint8Array>();
  for (const { height, id } of units) if (height >= lowest) ids.set(height, id);
  return [...ids.values()];
}
