import { bytesEqual } from "../../bytes/compare.ts";
import type { Reader } from "../kv.ts";
import { placesInTagRange } from "../lsm/tag-range.ts";
import { TAG_LENGTH } from "../lsm/tree.ts";
import type { Place } from "../places.ts";
import { lsmTrees, tables } from "../tables.ts";
import type { RecordedTransaction } from "../values/ledger.ts";

export interface Inclusion extends Place {
  readonly transaction: RecordedTransaction;
}

export function recordedAt(reader: Reader, { height, position }: Place): RecordedTransaction | undefined {
  const found = reader.peek(tables.recorded, { height, position: 0 }, (recorded) => recorded.at(position));
  if (found !== undefined) return found;
  const unitOfPlace = {
    from: { height, position: 1 },
    to: { height, position: position + 1 },
    reverse: true,
    limit: 1,
  };
  for (const [first, recorded] of reader.range(tables.recorded, unitOfPlace))
    return recorded.at(position - first.position);
  return undefined;
}

/** @param candidates places to check, newest first */
export function findTransaction(
  reader: Reader,
  id: Uint8Array,
  candidates: Iterable<Place> = reader.findEntries(lsmTrees.transactionIds, id),
): Inclusion | undefined {
  for (const place of candidates) {
    // Entries outlive rollbacks: check the transaction at the place.
    const transaction = recordedAt(reader, place);
    if (transaction === undefined || !bytesEqual(transaction.id, id)) continue;
    // A spread would be slower.
    const { height, position } = place;
    return { height, position, transaction };
  }
  return undefined;
}

/** Returns places of ids in a range. The caller must check the ids: entries have only 8 bytes and outlive rollbacks. */
export function placesOfIds(
  reader: Reader,
  { first, last }: { readonly first: Uint8Array; readonly last: Uint8Array },
  limit: number,
): readonly Place[] {
  const tags = { first: first.subarray(0, TAG_LENGTH), last: last.subarray(0, TAG_LENGTH) };
  return placesInTagRange(reader, lsmTrees.transactionIds, tags, limit);
}
