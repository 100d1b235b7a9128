/**
 * An inverted index: from a key (an address, a hash) to its posting list, the units with data for it. One row per
 * posting would make each write dirty its own page. Instead the postings of a unit are one row, and 16 bytes in an
 * LSM tree (`lsm/tree.ts`) lead from each key to it.
 */
import type { Reader, Table, Writer } from "../kv.ts";
import type { LsmTree } from "../lsm/tree.ts";
import type { Place, UnitKey } from "../places.ts";
import { type UnitPosting, UnitPostings } from "./unit-postings.ts";

export interface InvertedIndex {
  readonly tree: LsmTree;
  readonly table: Table<UnitKey, UnitPostings>;
  /**
   * Returns the 8 bytes that represent a key in the tree. It must be expensive to choose many keys with the same tag,
   * since a lookup reads the unit of each.
   */
  tag(key: Uint8Array): Uint8Array;
}

/** A unit's data for a key; `value` is a view. */
interface Posting {
  readonly unit: UnitKey;
  readonly value: Uint8Array;
}

/** Writes the postings of a unit, each key once. A unit without postings has no row. */
export function writePostings(
  writer: Writer,
  index: InvertedIndex,
  unit: UnitKey,
  postings: readonly UnitPosting[],
): void {
  if (postings.length === 0) return;
  writer.insert(index.table, unit, UnitPostings.of(postings));
  const place = placeOf(unit);
  for (const { key } of postings) writer.addEntry(index.tree, index.tag(key), place);
}

/** Yields the posting list of a key, newest unit first. @param below only units before this one */
export function* postingsDescending(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
  below?: UnitKey | undefined,
): Generator<Posting> {
  const places = reader.findEntries(index.tree, index.tag(key), below && placeOf(below));
  for (const place of places) yield* postingAt(reader, index, key, place);
}

/**
 * Yields the posting of the newest unit of each height, newest height first. Does not read the other units.
 * @param below only heights below this one
 */
export function* postingsByHeight(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
  below: number,
): Generator<Posting> {
  let last: number | undefined;
  for (const place of reader.findEntries(index.tree, index.tag(key), { height: below, position: 0 })) {
    if (place.height === last) continue;
    for (const posting of postingAt(reader, index, key, place)) {
      last = place.height;
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

/** Yields the posting that the unit has now: entries outlive rollbacks, and other keys can have the same tag. */
function* postingAt(
  reader: Reader,
  { table }: InvertedIndex,
  key: Uint8Array,
  { height, position }: Place,
): Generator<Posting> {
  const unit = { height, sequence: position };
  const value = reader.get(table, unit)?.find(key);
  if (value !== undefined) yield { unit, value };
}

/** In entries of units, the sequence replaces the position. */
function placeOf({ height, sequence }: UnitKey): Place {
  return { height, position: sequence };
}

/**
 * Returns parts of an address's hash and checksum. Recipients can be invented, but not their checksums: another
 * address with the same tag takes some 2^32 attempts.
 */
export function addressTag(address: Uint8Array): Uint8Array {
  const tag = new Uint8Array(8);
  for (let i = 0; i < 4; i++) {
    tag[i] = address[2 + i];
    tag[4 + i] = address[22 + i];
  }
  return tag;
}
