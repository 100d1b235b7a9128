import type { Writer } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { writePostings } from "../../storage/postings/inverted-index.ts";
import { type MappedPair, mappedPairsValue, positionsValue } from "../../storage/values/indexes.ts";
import { definitionOf } from "../../transactions/index.ts";
import { type ConfiguredIndex, indexByTransaction, type StoredTransaction } from "../chain-index.ts";
import type { ActiveIndexMode } from "../modes.ts";
import { PostingCollector } from "../posting-collector.ts";
import type { RoleHolders } from "../trust/roles.ts";

const noHolders: RoleHolders = { text: "nobody", includes: () => false };

/**
 * Indexes every occurrence of an anchor, and every (key, value) pair of a mapped anchor. The value of a pair
 * is an anchor too. Page 07 §7.1, §18.4. In the mode `trust`, this index must follow the trust index in a
 * `compositeIndex`.
 * @param holders accounts to index in that mode
 */
export function anchorIndex(
  mode: ActiveIndexMode = "all",
  holders: RoleHolders = noHolders,
): ConfiguredIndex {
  const text = mode === "all" ? mode : `${mode}, ${holders.text}`;
  return indexByTransaction({ names: ["anchors"], text }, (writer, unit) => {
    // Most units have no anchors.
    let found: UnitAnchors | undefined;
    return {
      add(entry) {
        const { anchors, mappedAnchors } = definitionOf(entry.transaction);
        if (anchors === undefined && mappedAnchors === undefined) return;
        if (mode === "trust" && !holders.includes(writer, entry.transaction.senderAddress)) return;
        found ??= new UnitAnchors();
        found.add(entry);
      },
      end: () => found?.writeTo(writer, unit),
    };
  });
}

class UnitAnchors {
  readonly #positions = new PostingCollector<number>();
  readonly #pairs = new PostingCollector<MappedPair>();

  add({ transaction, position }: StoredTransaction): void {
    const { anchors, mappedAnchors } = definitionOf(transaction);
    for (const hash of anchors?.(transaction) ?? []) {
      const positions = this.#positions.itemsOf(hash);
      if (positions.at(-1) !== position) positions.push(position);
    }
    for (const [key, value] of mappedAnchors?.(transaction) ?? [])
      this.#pairs.itemsOf(key).push({ position, sender: transaction.senderAddress, value });
  }

  writeTo(writer: Writer, unit: UnitKey): void {
    writePostings(writer, invertedIndexes.anchors, unit, this.#positions.postings(positionsValue));
    writePostings(writer, invertedIndexes.mappedAnchors, unit, this.#pairs.postings(mappedPairsValue));
  }
}
