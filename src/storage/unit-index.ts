/**
 * Look-ups from a key (an address, a hash) to the units of the chain that say something of it. A row for each key and
 * unit would dirty a page of its own; here a unit is one row, and 16 bytes in sorted runs lead to it (`entries.ts`).
 */
import type { Place, UnitKey } from "./codecs.ts";
import type { EntryIndex } from "./entries.ts";
import type { Reader, Table, Writer } from "./kv.ts";
import { type UnitItem, UnitItems } from "./unit-items.ts";

/** A look-up of this kind. */
export interface UnitIndex {
  readonly entries: EntryIndex;
  readonly table: Table<UnitKey, UnitItems>;
  /**
   * The 8 bytes that stand for a key among the entries. Whoever can choose keys freely must not find many with the same
   * tag for little, since each costs a look at its unit.
   */
  tag(key: Uint8Array): Uint8Array;
}

/** What a unit says of a key; `value` is a view. */
export interface UnitMention {
  readonly unit: UnitKey;
  readonly value: Uint8Array;
}

/** Enters what a unit says, each key once. A unit without items leaves no row. */
export function enterUnit(writer: Writer, index: UnitIndex, unit: UnitKey, items: readonly UnitItem[]): void {
  if (items.length === 0) return;
  writer.insert(index.table, unit, UnitItems.of(items));
  enterKeys(writer, index, unit, items);
}

/** The same for a unit that may have said something already: what it said of other keys stays. */
export function extendUnit(
  writer: Writer,
  index: UnitIndex,
  unit: UnitKey,
  items: readonly UnitItem[],
): void {
  const before = writer.get(index.table, unit);
  if (before === undefined) {
    enterUnit(writer, index, unit, items);
    return;
  }
  const now = UnitItems.of(items);
  const kept = [...before].filter(({ key }) => now.find(key) === undefined);
  writer.put(index.table, unit, UnitItems.of([...kept, ...items]));
  enterKeys(writer, index, unit, items);
}

function enterKeys(writer: Writer, index: UnitIndex, unit: UnitKey, items: readonly UnitItem[]): void {
  const place = placeOf(unit);
  for (const { key } of items) writer.addEntry(index.entries, index.tag(key), place);
}

/** What units say of a key, the newest first; `below`: only units before this one. */
export function* mentionsDown(
  reader: Reader,
  index: UnitIndex,
  key: Uint8Array,
  below?: UnitKey | undefined,
): Generator<UnitMention> {
  const places = reader.findEntries(index.entries, index.tag(key), below && placeOf(below));
  for (const place of places) yield* mentionAt(reader, index, key, place);
}

/** What units say of a key, the oldest first. */
export function* mentionsUp(reader: Reader, index: UnitIndex, key: Uint8Array): Generator<UnitMention> {
  for (const place of reader.findEntriesUp(index.entries, index.tag(key)))
    yield* mentionAt(reader, index, key, place);
}

/** Entries outlive rollbacks, and other keys have the same tag: what the unit says now decides. */
function* mentionAt(
  reader: Reader,
  { table }: UnitIndex,
  key: Uint8Array,
  { height, position }: Place,
): Generator<UnitMention> {
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
