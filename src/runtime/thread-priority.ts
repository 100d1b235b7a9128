/** Which threads of the node go first where there are fewer cores than threads with work. */
import { getPriority, setPriority } from "node:os";

/** How far behind the writer and the HTTP thread others stand, as `nice` counts: a third of their share of a core. */
export const CHECKING_NICENESS = 5;
/** A tenth of it: nothing but the client of a long answer waits for it. */
export const READING_NICENESS = 10;

const LAST = 19;

/**
 * Has the calling thread step back behind others by so much. Linux counts for each thread; elsewhere it would be the
 * whole process, and is left alone.
 */
export function lowerPriority(by: number): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(LAST, getPriority() + by));
  } catch {
    // A sandbox may forbid it: the thread does its work as it is.
  }
}
