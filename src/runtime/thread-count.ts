import { availableParallelism } from "node:os";

/** How many threads check unless somebody says otherwise: the writer has a core, and checks too while it would wait. */
export const DEFAULT_CHECKING_THREADS: number = Math.max(1, availableParallelism() - 1);
