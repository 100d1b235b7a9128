import { availableParallelism } from "node:os";

/** One thread per core except the writer's. */
export const DEFAULT_CHECKER_THREADS: number = Math.max(1, availableParallelism() - 1);
