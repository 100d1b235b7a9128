import type { WriteBatch } from "../batch/write-batch.ts";
import { tables } from "../tables.ts";
import { sortedRunsOf } from "./sorted-run.ts";

/**
 * Removes a tree over several commits: call it once in each, until it returns true. Until then, do not use the tree.
 * @param limit maximum number of rows to remove from each table
 */
export function clearTree(batch: WriteBatch, tree: number, limit: number): boolean {
  const runs = sortedRunsOf(batch, tree);
  if (runs.some(({ count, inputs }) => count > 0 || inputs.length > 0)) {
    // An empty run keeps the highest number, because numbers are never reused.
    const number = Math.max(...runs.map((run) => run.number));
    batch.put(tables.sortedRuns, tree, [{ number, count: 0, inputs: [] }]);
  }
  const prefix = Uint8Array.of(tree);
  const fences = batch.clearTable(tables.fencePointers, limit, prefix);
  const chunks = batch.clearTable(tables.runChunks, limit, prefix);
  return fences < limit && chunks < limit;
}
