import { readdirSync } from "node:fs";
import { getPriority, setPriority } from "node:os";

/** A checker thread gets a third of a normal thread's time on a busy core. */
export const CHECKER_NICENESS = 5;
/** A reader thread gets a tenth of a normal thread's time on a busy core. */
export const READER_NICENESS = 10;
/** Background work uses almost only idle cores. */
export const BACKGROUND_NICENESS = 19;

const MAX_NICENESS = 19;

/** Lowers the calling thread's priority. Only on Linux: elsewhere, `setPriority` affects the whole process. */
export function lowerPriority(nicenessIncrement: number): void {
  if (process.platform !== "linux") return;
  try {
    setPriority(Math.min(MAX_NICENESS, getPriority() + nicenessIncrement));
  } catch {
    // A sandbox may forbid the call.
  }
}

/** Lowers the priority of all threads of the process. Only on Linux. */
export function lowerProcessPriority(nicenessIncrement: number): void {
  if (process.platform !== "linux") return;
  const priority = Math.min(MAX_NICENESS, getPriority() + nicenessIncrement);
  // On Linux each thread has a priority, inherited by threads that it starts.
  for (const thread of readdirSync("/proc/self/task")) {
    try {
      setPriority(Number(thread), priority);
    } catch {
      // The thread has ended, or a sandbox forbids the call.
    }
  }
}
