/**
 * Inverted indexes: from a key (an address, a hash) to its posting list, the units of the chain that hold something
 * for it. A row for each posting would dirty a page of its own; here the postings of a unit are one row, and 16 bytes
 * in an LSM tree (`lsm/tree.ts`) lead from each key to it.
 */
import type { Reader, Table, Writer } from "../kv.ts";
import type { LsmTree } from "../lsm/tree.ts";
import type { Place, UnitKey } from "../places.ts";
import { type UnitPosting, UnitPostings } from "./unit-postings.ts";

export interface InvertedIndex {
  readonly tree: LsmTree;
  readonly table: Table<UnitKey, UnitPostings>;
  /**
   * The 8 bytes that stand for a key in the tree. Whoever can choose keys freely must not find many with the same
   * tag for little, since each costs a look at its unit.
   */
  tag(key: Uint8Array): Uint8Array;
}

/** What a unit holds for a key; `value` is a view. */
interface Posting {
  readonly unit: UnitKey;
  readonly value: Uint8Array;
}

/** Writes the postings of a unit, each key once. A unit without any leaves no row. */
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

/** The posting list of a key, the newest unit first; `below`: only units before this one. */
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
 * The posting list of a key with the newest unit of each height only, the newest height first. The other units of a
 * height are not read.
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

/** The posting list of a key, the oldest unit first. */
export function* postingsAscending(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
): Generator<Posting> {
  for (const place of reader.findEntriesAscending(index.tree, index.tag(key)))
    yield* postingAt(reader, index, key, place);
}

/** Entries outlive rollbacks, and other keys have the same tag: what the unit holds now decides. */
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

/** In entries the number of the unit at its height takes the place of a transaction's position. */
function placeOf({ height, sequence }: UnitKey): Place {
  return { height, position: sequence };
}

/**
 * The tag of an address: parts of its hash and of its checksum. Recipients can be made up, but not their checksums:
 * another address with the same tag takes some 2^32 attempts.
 */
export function addressTag(address: Uint8Array): Uint8Array {
  const tag = new Uint8Array(8);
  for (let i = 0; i < 4; i++) {
    tag[i] = address[2 + i];
    tag[4 + i] = address[22 + i];
  }
  return tag;
}
