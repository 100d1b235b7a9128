import type { Supervisor } from "./supervisor.ts";

/**
 * Passes uncaught errors and unhandled rejections of this thread to the supervisor.
 * @param onBroken called for the first broken invariant
 * @param handle returns true if it has handled the error, which the supervisor then does not get
 * @returns a function that ends the supervision
 */
export function superviseProcess(
  supervisor: Supervisor,
  onBroken: (error: Error) => void,
  handle: (error: unknown) => boolean = () => false,
): () => void {
  supervisor.onBroken(onBroken);
  const reportAs = (name: string) => (error: unknown) => {
    if (!handle(error)) supervisor.failed(name, error);
  };
  const onError = reportAs("uncaught error");
  const onRejection = reportAs("unhandled rejection");
  process.on("uncaughtException", onError);
  process.on("unhandledRejection", onRejection);
  return () => {
    process.off("uncaughtException", onError);
    process.off("unhandledRejection", onRejection);
  };
}
