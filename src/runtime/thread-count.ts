import { availableParallelism } from "node:os";

/** The default leaves one core to the writer, which also checks signatures when it would have to wait. */
export const DEFAULT_CHECKING_THREADS: number = Math.max(1, availableParallelism() - 1);
