import { availableParallelism } from "node:os";

/** All cores but one for the writer, which checks signatures itself instead of waiting for threads. */
export const DEFAULT_CHECKER_THREADS: number = Math.max(1, availableParallelism() - 1);
