/**
 * An inverted index maps a key (an address or a hash) to *postings*: one value for each unit with data of the key. All
 * postings of a unit are one row, and an LSM tree (`lsm/tree.ts`) maps each key to its units.
 */
import type { Reader, Table, Writer } from "../kv.ts";
import { type LsmTree, TAG_LENGTH } from "../lsm/tree.ts";
import type { Place, UnitKey } from "../places.ts";
import { type UnitPosting, UnitPostings } from "./unit-postings.ts";

export interface InvertedIndex {
  readonly tree: LsmTree;
  readonly table: Table<UnitKey, UnitPostings>;
  /**
   * Returns bytes whose first 8 represent a key in the tree. Finding many keys with the same tag must be expensive.
   * @param target 8 bytes that may be used for the result
   */
  tag(key: Uint8Array, target?: Uint8Array): Uint8Array;
}

interface Posting {
  readonly unit: UnitKey;
  readonly value: Uint8Array;
}

export function writePostings(
  writer: Writer,
  index: InvertedIndex,
  unit: UnitKey,
  postings: readonly UnitPosting[],
): void {
  if (postings.length > 0) writePostingRow(writer, index, unit, postings, UnitPostings.of(postings));
}

/** @param row made from these postings */
export function writePostingRow(
  writer: Writer,
  index: InvertedIndex,
  unit: UnitKey,
  postings: readonly { readonly key: Uint8Array }[],
  row: UnitPostings,
): void {
  writer.insert(index.table, unit, row);
  const place = placeOf(unit);
  const tag = new Uint8Array(TAG_LENGTH);
  for (const { key } of postings) writer.addEntry(index.tree, index.tag(key, tag), place);
}

export function* postingsDescending(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
  below?: UnitKey | undefined,
): Generator<Posting> {
  const places = reader.findEntries(index.tree, index.tag(key), below && placeOf(below));
  for (const place of places) yield* postingAt(reader, index, key, place);
}

/** Yields the posting of the newest unit at each height, highest height first. */
export function* postingsByHeight(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
  belowHeight: number,
): Generator<Posting> {
  let lastHeight: number | undefined;
  for (const place of reader.findEntries(index.tree, index.tag(key), { height: belowHeight, position: 0 })) {
    if (place.height === lastHeight) continue;
    for (const posting of postingAt(reader, index, key, place)) {
      lastHeight = place.height;
      yield posting;
    }
  }
}

export function* postingsAscending(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
): Generator<Posting> {
  for (const place of reader.findEntriesAscending(index.tree, index.tag(key)))
    yield* postingAt(reader, index, key, place);
}

/** Yields one posting, or none: entries of undone units remain, and other keys can have the same tag. */
function* postingAt(
  reader: Reader,
  { table }: InvertedIndex,
  key: Uint8Array,
  { height, position }: Place,
): Generator<Posting> {
  const unit = { height, sequence: position };
  const value = reader.get(table, unit)?.find(key)?.slice();
  if (value !== undefined) yield { unit, value };
}

function placeOf({ height, sequence }: UnitKey): Place {
  return { height, position: sequence };
}

/** Returns bytes of the hash and checksum: addresses with equal tags are costly to find. */
export function addressTag(address: Uint8Array, target = new Uint8Array(TAG_LENGTH)): Uint8Array {
  for (let i = 0; i < 4; i++) {
    target[i] = address[2 + i];
    target[4 + i] = address[22 + i];
  }
  return target;
}
