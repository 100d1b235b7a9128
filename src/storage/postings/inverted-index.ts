/**
 * Look-ups from a key (an address, a hash) to the units of the chain that say something of it. A row for each key and
 * unit would dirty a page of its own; here a unit is one row, and 16 bytes in sorted runs lead to it (`entries.ts`).
 */
import type { Reader, Table, Writer } from "../kv.ts";
import type { LsmTree } from "../lsm/tree.ts";
import type { Place, UnitKey } from "../places.ts";
import { type UnitPosting, UnitPostings } from "./unit-postings.ts";

/** A look-up of this kind. */
export interface InvertedIndex {
  readonly entries: LsmTree;
  readonly table: Table<UnitKey, UnitPostings>;
  /**
   * The 8 bytes that stand for a key among the entries. Whoever can choose keys freely must not find many with the same
   * tag for little, since each costs a look at its unit.
   */
  tag(key: Uint8Array): Uint8Array;
}

/** What a unit says of a key; `value` is a view. */
export interface Posting {
  readonly unit: UnitKey;
  readonly value: Uint8Array;
}

/** Enters what a unit says, each key once. A unit without items leaves no row. */
export function writePostings(
  writer: Writer,
  index: InvertedIndex,
  unit: UnitKey,
  items: readonly UnitPosting[],
): void {
  if (items.length === 0) return;
  writer.insert(index.table, unit, UnitPostings.of(items));
  enterKeys(writer, index, unit, items);
}

/** The same for a unit that may have said something already: what it said of other keys stays. */
export function mergePostings(
  writer: Writer,
  index: InvertedIndex,
  unit: UnitKey,
  items: readonly UnitPosting[],
): void {
  const before = writer.get(index.table, unit);
  if (before === undefined) {
    writePostings(writer, index, unit, items);
    return;
  }
  const now = UnitPostings.of(items);
  const kept = [...before].filter(({ key }) => now.find(key) === undefined);
  writer.put(index.table, unit, UnitPostings.of([...kept, ...items]));
  enterKeys(writer, index, unit, items);
}

function enterKeys(writer: Writer, index: InvertedIndex, unit: UnitKey, items: readonly UnitPosting[]): void {
  const place = placeOf(unit);
  for (const { key } of items) writer.addEntry(index.entries, index.tag(key), place);
}

/** What units say of a key, the newest first; `below`: only units before this one. */
export function* postingsDown(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
  below?: UnitKey | undefined,
): Generator<Posting> {
  const places = reader.findEntries(index.entries, index.tag(key), below && placeOf(below));
  for (const place of places) yield* postingAt(reader, index, key, place);
}

/** What units say of a key, the oldest first. */
export function* postingsUp(reader: Reader, index: InvertedIndex, key: Uint8Array): Generator<Posting> {
  for (const place of reader.findEntriesUp(index.entries, index.tag(key)))
    yield* postingAt(reader, index, key, place);
}

/** Entries outlive rollbacks, and other keys have the same tag: what the unit says now decides. */
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
