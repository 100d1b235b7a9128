import { availableParallelism } from "node:os";

/** Leaves one core to the writer, which checks signatures itself instead of waiting for them. */
export const DEFAULT_CHECKING_THREADS: number = Math.max(1, availableParallelism() - 1);
