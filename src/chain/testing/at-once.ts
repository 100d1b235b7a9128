import type { AppendResult } from "../deciding/block-refusal.ts";

/** Returns the result of `Chain.accept` and the like if it is not a promise. */
export function atOnce(result: AppendResult | Promise<AppendResult>): AppendResult {
  if (result instanceof Promise) throw new Error("An index yielded while processing the block");
  return result;
}
