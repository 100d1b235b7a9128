/** Thread priorities, for machines with fewer cores than busy threads. */
import { getPriority, setPriority } from "node:os";

/** `nice` increment of checking threads. They get a third of the core time of the writer or the HTTP thread. */
export const CHECKING_NICENESS = 5;
/** `nice` increment of reading threads: a tenth of that time, because only clients of long responses wait for them. */
export const READING_NICENESS = 10;

const MAX_NICENESS = 19;

/** Lowers the priority of the calling thread. Only on Linux, because it affects the whole process elsewhere. */
export function lowerPriority(increment: number): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(MAX_NICENESS, getPriority() + increment));
  } catch {
    // A sandbox may forbid the call; the thread then keeps its priority.
  }
}
