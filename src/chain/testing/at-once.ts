import type { AppendResult } from "../deciding/block-refusal.ts";

/** The result of `Chain.accept` and the like, where no index needs more than this turn. */
export function atOnce(result: AppendResult | Promise<AppendResult>): AppendResult {
  if (result instanceof Promise) throw new Error("An index works on the block for several turns");
  return result;
}
