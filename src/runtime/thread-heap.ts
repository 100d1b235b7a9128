import type { ResourceLimits } from "node:worker_threads";

/** Heap for new objects, MB. A thread with a limit gets little by default, and requests then cost twice as much. */
const NEW_OBJECTS_MB = 64;

/** @param megabytes limit of the old generation */
export function heapLimits(megabytes: number): ResourceLimits {
  return { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: NEW_OBJECTS_MB };
}
