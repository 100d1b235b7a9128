import type { ResourceLimits } from "node:worker_threads";

/** Room for new objects, MB. A thread with a bound gets little by itself, and a request then costs twice as much. */
const NEW_OBJECTS_MB = 64;

/** Limits of a thread whose objects may take so many MB. */
export function heapLimits(megabytes: number): ResourceLimits {
  return { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: NEW_OBJECTS_MB };
}
