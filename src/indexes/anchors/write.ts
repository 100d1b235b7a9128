import type { AnchorInfo, MappedAnchorInfo } from "../../interfaces.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { recordedAt } from "../../storage/ledger/recorded-transactions.ts";
import type { Place, UnitKey } from "../../storage/places.ts";
import { invertedIndexes } from "../../storage/postings/all.ts";
import { postingsDown, postingsUp, writePostings } from "../../storage/postings/inverted-index.ts";
import { type MappedPair, mappedPairsValue, positionsValue } from "../../storage/values/indexes.ts";
import { definitionOf } from "../../transactions/index.ts";
import type { ConfiguredIndex, StoredTransaction, UnitWork } from "../chain-index.ts";
import { GatheredPostings } from "../gathered-postings.ts";

/** Whose transactions an index takes: nobody's, those of accounts with a role, or all. Page 07 §4.2. */
export type IndexMode = "none" | "trust" | "all";

/** The same of an index that takes any. */
export type TakingMode = Exclude<IndexMode, "none">;

/** The accounts that hold a role by page 07 §9.2. */
export interface RoleHolders {
  /** What decides who they are beside the roles that were given. */
  readonly text: string;
  include(reader: Reader, address: Uint8Array): boolean;
}

const nobody: RoleHolders = { text: "nobody", include: () => false };

/**
 * Anchored hashes: every occurrence of every anchor, and of every (key, value) pair of mapped anchors.
 * Page 07 §7.1, §18.4. The value of a mapped anchor is an anchor too, its key is not.
 *
 * @param holders who holds a role, for the mode `trust`, which works in `compositeIndex` with the trust index only
 */
export function anchorIndex(mode: TakingMode = "all", holders: RoleHolders = nobody): ConfiguredIndex {
  const counts = (reader: Reader, sender: Uint8Array): boolean =>
    mode === "all" || holders.include(reader, sender);
  const begin = (writer: Writer, unit: UnitKey): UnitWork => {
    // Most units have no anchors.
    let found: UnitAnchors | undefined;
    return {
      add(entry) {
        const { anchors, mappedAnchors } = definitionOf(entry.transaction);
        if (anchors === undefined && mappedAnchors === undefined) return;
        if (!counts(writer, entry.transaction.senderAddress)) return;
        found ??= new UnitAnchors();
        found.add(entry);
      },
      end: () => found?.writeTo(writer, unit),
    };
  };
  return {
    configuration: { names: ["anchors"], text: mode === "all" ? mode : `${mode}, ${holders.text}` },
    apply(writer, unit) {
      const work = begin(writer, unit);
      for (const entry of unit.transactions) work.add(entry);
      work.end();
    },
    begin,
  };
}

/** The anchors of one unit. */
class UnitAnchors {
  readonly #positions = new GatheredPostings<number>();
  readonly #pairs = new GatheredPostings<MappedPair>();

  add({ transaction, position }: StoredTransaction): void {
    const { anchors, mappedAnchors } = definitionOf(transaction);
    for (const hash of anchors?.(transaction) ?? []) {
      const positions = this.#positions.list(hash);
      // Pairs of one transaction may have the same value.
      if (positions.at(-1) !== position) positions.push(position);
    }
    for (const [key, value] of mappedAnchors?.(transaction) ?? [])
      this.#pairs.list(key).push({ position, sender: transaction.senderAddress, value });
  }

  writeTo(writer: Writer, unit: UnitKey): void {
    writePostings(writer, invertedIndexes.anchors, unit, this.#positions.postings(positionsValue));
    writePostings(writer, invertedIndexes.mappedAnchors, unit, this.#pairs.postings(mappedPairsValue));
  }
}

/** Where a hash was anchored first. Page 07 §7.1: the first transaction wins. */
export function anchorOf(reader: Reader, hash: Uint8Array): AnchorInfo | undefined {
  for (const { unit, value } of postingsUp(reader, invertedIndexes.anchors, hash)) {
    const place = { height: unit.height, position: positionsValue.decode(value)[0] };
    return { transactionId: idAt(reader, place), ...place };
  }
  return undefined;
}

/** All pairs anchored under a key, newest first. Page 07 §7.7, with every occurrence kept (§15, BUG-17). */
export function* mappedAnchorsOf(reader: Reader, key: Uint8Array): Generator<MappedAnchorInfo> {
  for (const { unit, value: bytes } of postingsDown(reader, invertedIndexes.mappedAnchors, key)) {
    for (const { position, sender, value } of mappedPairsValue.decode(bytes).toReversed()) {
      const place = { height: unit.height, position };
      yield { transactionId: idAt(reader, place), sender, value, ...place };
    }
  }
}

/** @throws RangeError when the chain has no transaction there: the row of a unit lives and goes with its transactions */
function idAt(reader: Reader, place: Place): Uint8Array {
  const recorded = recordedAt(reader, place);
  if (recorded === undefined)
    throw new RangeError(`There is no transaction ${place.position} in block ${place.height}`);
  return recorded.id;
}
