import { bytesEqual } from "../../bytes/compare.ts";
import type { Reader } from "../kv.ts";
import type { Place } from "../places.ts";
import { lsmTrees, tables } from "../tables.ts";
import type { RecordedTransaction } from "../values/ledger.ts";

/** A transaction on the chain. */
export interface Inclusion extends Place {
  readonly transaction: RecordedTransaction;
}

/** What the ledger recorded of the transaction at a place; undefined when the chain has none there. */
export function recordedAt(reader: Reader, { height, position }: Place): RecordedTransaction | undefined {
  // Most are in the first unit of their block, and reading a known key costs a fraction of a search.
  const found = reader.get(tables.recorded, { height, position: 0 })?.at(position);
  if (found !== undefined) return found;
  const upTo = {
    from: { height, position: 1 },
    to: { height, position: position + 1 },
    reverse: true,
    limit: 1,
  };
  for (const [first, recorded] of reader.range(tables.recorded, upTo))
    return recorded.at(position - first.position);
  return undefined;
}

/**
 * The newest inclusion of a transaction id, or undefined.
 * @param candidates places to look at, newest first; all that the tree has by default
 */
export function findTransaction(
  reader: Reader,
  id: Uint8Array,
  candidates: Iterable<Place> = reader.findEntries(lsmTrees.transactionIds, id),
): Inclusion | undefined {
  for (const place of candidates) {
    // Entries outlive rollbacks: what stands at the place now decides.
    const transaction = recordedAt(reader, place);
    if (transaction !== undefined && bytesEqual(transaction.id, id)) return { ...place, transaction };
  }
  return undefined;
}
