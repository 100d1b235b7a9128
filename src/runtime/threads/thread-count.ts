import { availableParallelism } from "node:os";

/** One thread per core except the writer's: instead of waiting, the writer checks signatures too. */
export const DEFAULT_CHECKER_THREADS: number = Math.max(1, availableParallelism() - 1);
