import { bytesEqual } from "../../bytes/compare.ts";
import type { LeavingUnit, Reorganisation } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { headerRow } from "../reading/rows.ts";
import type { Tip } from "../reading/tip.ts";
import type { ChangeSource } from "./change.ts";

const MAX_LISTED_IDS = 20;

/** Units that a change of one or several commits has reverted so far. */
export interface OpenReorganisation {
  /** Tip before the change. */
  readonly before: Tip;
  /** Lowest reverted key block; infinite if there is none. */
  readonly lowest: number;
  readonly transactions: number;
  /** Ids of the lowest reverted blocks by height, in descending order. */
  readonly ids: ReadonlyMap<number, Uint8Array>;
}

/**
 * Adds a commit of a change.
 * @param before tip before the commit
 * @param part `reverted`: newest first
 */
export function continueReorganisation(
  open: OpenReorganisation | undefined,
  before: Tip,
  part: { readonly reverted: readonly LeavingUnit[]; readonly source: ChangeSource },
): OpenReorganisation | undefined {
  const { reverted, source } = part;
  // Restoring reverts the other branch.
  if (source === "restored" || reverted.length === 0) return open;
  const ids = new Map(open?.ids);
  // Of each block, the newest unit is reverted first.
  for (const { height, id } of reverted) if (!ids.has(height)) ids.set(height, id);
  const lowest = reverted.findLast(({ sequence }) => sequence === 0)?.height;
  return {
    before: open?.before ?? before,
    lowest: lowest ?? open?.lowest ?? Number.POSITIVE_INFINITY,
    transactions: reverted.reduce((sum, unit) => sum + unit.transactionCount, open?.transactions ?? 0),
    // One more than is listed, because the common block may have lost micro blocks.
    ids: new Map([...ids].slice(-MAX_LISTED_IDS - 1)),
  };
}

/** Returns undefined if no key block was reverted, or the chain ends with the same block as before. */
export function finishReorganisation(
  { before, lowest, transactions, ids }: OpenReorganisation,
  reader: Reader,
  tip: Tip,
  timestamp: number,
): Reorganisation | undefined {
  if (!Number.isFinite(lowest) || bytesEqual(before.id, tip.id)) return undefined;
  const commonHeight = lowest - 1;
  const committedCount = tip.height - commonHeight;
  const reverted = [...ids].reverse().filter(([height]) => height >= lowest);
  return {
    timestamp,
    commonHeight,
    oldTip: before.id,
    newTip: tip.id,
    revertedTransactions: transactions,
    revertedCount: before.height - commonHeight,
    reverted: reverted.slice(0, MAX_LISTED_IDS).map(([, id]) => id),
    committedCount,
    committed: Array.from(
      { length: Math.min(committedCount, MAX_LISTED_IDS) },
      (_, i) => headerRow(reader, lowest + i).signature,
    ),
  };
}
