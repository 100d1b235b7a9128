import type { WriteBatch } from "../batch/write-batch.ts";
import { tables } from "../tables.ts";
import { sortedRunsOf } from "./sorted-run.ts";

/**
 * Removes what a tree holds: to be called, commit by commit, until it says that nothing is left. Nobody may look
 * anything up in it meanwhile, or enter anything.
 * @param limit at most so many rows of each kind
 * @returns whether nothing is left
 */
export function clearTree(batch: WriteBatch, tree: number, limit: number): boolean {
  const runs = sortedRunsOf(batch, tree);
  if (runs.some(({ count, inputs }) => count > 0 || inputs.length > 0)) {
    // An empty run keeps the number of the newest one, since no number is ever given again.
    const number = Math.max(...runs.map((run) => run.number));
    batch.put(tables.sortedRuns, tree, [{ number, count: 0, inputs: [] }]);
  }
  const prefix = Uint8Array.of(tree);
  const fences = batch.clearTable(tables.fencePointers, limit, prefix);
  const chunks = batch.clearTable(tables.runChunks, limit, prefix);
  return fences < limit && chunks < limit;
}
