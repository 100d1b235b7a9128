import type { Supervisor } from "./supervisor.ts";

/**
 * Passes uncaught errors and unhandled rejections of this thread to the supervisor.
 * @param onBroken called for the first broken invariant
 * @returns a function that ends the supervision
 */
export function superviseProcess(supervisor: Supervisor, onBroken: (error: Error) => void): () => void {
  supervisor.onBroken(onBroken);
  const onError = (error: unknown): void => supervisor.failed("uncaught error", error);
  const onRejection = (error: unknown): void => supervisor.failed("unhandled rejection", error);
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onRejection);
  return () => {
    process.off("uncaughtException", onError);
    process.off("unhandledRejection", onRejection);
  };
}
