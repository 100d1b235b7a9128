/** The last net: what leaves a task that nobody guards goes to the supervisor, and not to the end of the process. */
import type { Supervisor } from "./supervisor.ts";

/**
 * From now on uncaught errors and rejections of this thread are judged by its supervisor.
 * @param broken called with the first broken invariant, beside what the supervisor does
 * @returns what gives them back to Node.js, which ends the thread
 */
export function superviseProcess(supervisor: Supervisor, broken: (error: Error) => void): () => void {
  supervisor.onBroken(broken);
  const onError = (error: unknown): void => supervisor.failed("uncaught error", error);
  const onRejection = (error: unknown): void => supervisor.failed("unhandled rejection", error);
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onRejection);
  return () => {
    process.off("uncaughtException", onError);
    process.off("unhandledRejection", onRejection);
  };
}
