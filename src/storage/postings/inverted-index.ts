/**
 * An inverted index leads from a key (an address or a hash) to its posting list: the data that units have for the key.
 * With one row per posting, each write would dirty its own page. Instead, the postings of a unit are one row, and an
 * entry of an LSM tree (`lsm/tree.ts`) leads from each key to that row.
 */
import type { Reader, Table, Writer } from "../kv.ts";
import type { LsmTree } from "../lsm/tree.ts";
import type { Place, UnitKey } from "../places.ts";
import { type UnitPosting, UnitPostings } from "./unit-postings.ts";

export interface InvertedIndex {
  readonly tree: LsmTree;
  readonly table: Table<UnitKey, UnitPostings>;
  /**
   * Returns the 8 bytes that represent a key in the tree. Choosing many keys with the same tag must be expensive, since
   * a lookup reads the units of all these keys.
   */
  tag(key: Uint8Array): Uint8Array;
}

interface Posting {
  readonly unit: UnitKey;
  readonly value: Uint8Array;
}

/** Writes one row per unit, or none if the unit has no postings. */
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

/** Newest unit first. */
export function* postingsDescending(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
  below?: UnitKey | undefined,
): Generator<Posting> {
  const places = reader.findEntries(index.tree, index.tag(key), below && placeOf(below));
  for (const place of places) yield* postingAt(reader, index, key, place);
}

/** Yields the newest unit of each height, newest height first. */
export function* postingsByHeight(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
  below: number,
): Generator<Posting> {
  let lastHeight: number | undefined;
  for (const place of reader.findEntries(index.tree, index.tag(key), { height: below, position: 0 })) {
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

/** Yields the posting at a place, if any: entries outlive rollbacks, and other keys can have the same tag. */
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

/** Returns a place for entries of a unit, which have its sequence instead of a position. */
function placeOf({ height, sequence }: UnitKey): Place {
  return { height, position: sequence };
}

/**
 * Returns parts of an address's hash and checksum. An invented recipient can have any hash, but needs a valid checksum,
 * so finding another address with the same tag takes about 2^32 attempts.
 */
export function addressTag(address: Uint8Array): Uint8Array {
  const tag = new Uint8Array(8);
  for (let i = 0; i < 4; i++) {
    tag[i] = address[2 + i];
    tag[4 + i] = address[22 + i];
  }
  return tag;
}
