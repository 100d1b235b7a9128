import type { ResourceLimits } from "node:worker_threads";

/** Young generation, MB. The default for threads with a heap limit is small and doubles the cost of requests. */
const NEW_OBJECTS_MB = 64;

/** @param megabytes limit of the old generation */
export function heapLimits(megabytes: number): ResourceLimits {
  return { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: NEW_OBJECTS_MB };
}
