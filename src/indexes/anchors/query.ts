import type { AnchorInfo, AnchorQueries, MappedAnchorInfo } from "../../interfaces.ts";
import type { Reader } from "../../storage/kv.ts";
import { recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import type { Place } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { postingsAscending, postingsDescending } from "../../storage/postings/inverted-index.ts";
import { mappedPairsValue, positionsValue } from "../../storage/values/indexes.ts";
import { Queries } from "../query-source.ts";

export class AnchorQuery extends Queries implements AnchorQueries {
  readonly #rows = this.source.rows("anchors");

  /** Returns the oldest anchor of a hash. Page 07 §7.1. */
  first(hash: Uint8Array): AnchorInfo | undefined {
    for (const { unit, value } of postingsAscending(this.#rows, invertedIndexes.anchors, hash)) {
      const place = { height: unit.height, position: positionsValue.decode(value)[0] };
      return { transactionId: idAt(this.#rows, place), ...place };
    }
    return undefined;
  }

  /** Yields the newest occurrence first. Page 07 §7.7, §15 (BUG-17). */
  *mapped(key: Uint8Array): Generator<MappedAnchorInfo> {
    for (const { unit, value: bytes } of postingsDescending(this.#rows, invertedIndexes.mappedAnchors, key)) {
      for (const { position, sender, value } of mappedPairsValue.decode(bytes).toReversed()) {
        const place = { height: unit.height, position };
        yield { transactionId: idAt(this.#rows, place), sender, value, ...place };
      }
    }
  }
}

/** @throws RangeError if the store is corrupt: the transaction is missing */
function idAt(reader: Reader, place: Place): Uint8Array {
  const recorded = recordedAt(reader, place);
  if (recorded === undefined)
    throw new RangeError(`There is no transaction ${place.position} in block ${place.height}`);
  return recorded.id;
}
