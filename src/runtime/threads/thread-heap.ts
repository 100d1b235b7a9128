import type { ResourceLimits } from "node:worker_threads";

/** The smaller default of Node.js doubles the cost of requests. */
const YOUNG_GENERATION_MB = 64;

export function heapLimits(megabytes: number): ResourceLimits {
  return { maxOldGenerationSizeMb: megabytes, maxYoungGenerationSizeMb: YOUNG_GENERATION_MB };
}
