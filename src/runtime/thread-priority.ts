/** Thread priorities, for machines with fewer cores than busy threads. */
import { getPriority, setPriority } from "node:os";

/** `nice` increment relative to the writer and the HTTP thread: a third of their share of a core. */
export const CHECKING_NICENESS = 5;
/** A tenth of their share: only the client of a long response waits for it. */
export const READING_NICENESS = 10;

const LAST = 19;

/** Lowers the priority of the calling thread. Linux only: elsewhere it would affect the whole process. */
export function lowerPriority(by: number): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(LAST, getPriority() + by));
  } catch {
    // A sandbox may forbid it.
  }
}
