import type { AppendResult } from "../chain/deciding/block-refusal.ts";

/** Calls `append`, then `settle` with its result, or `undo` with an error. Synchronous, unless `append` is not. */
export function appendForged(
  append: () => AppendResult | Promise<AppendResult>,
  settle: (result: AppendResult) => void,
  undo: (error: unknown) => void,
): Promise<void> | undefined {
  const fail = (error: unknown): never => {
    undo(error);
    throw error;
  };
  let result: AppendResult | Promise<AppendResult>;
  try {
    result = append();
  } catch (error) {
    return fail(error);
  }
  if (result instanceof Promise) return result.then(settle, fail);
  settle(result);
  return undefined;
}
