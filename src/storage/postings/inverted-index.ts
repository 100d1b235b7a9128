/**
 * An inverted index maps a key (an address or a hash) to *postings*: one value for each unit with data of the key. All
 * postings of a unit are one row, and an LSM tree (`lsm/tree.ts`) maps each key to its units.
 */
import { copyBytes } from "../../bytes/copy.ts";
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

/** What `pick` returned for a unit's posting. */
interface Picked<T> {
  readonly unit: UnitKey;
  readonly value: T;
}

type Posting = Picked<Uint8Array>;

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

const copyValue = (value: Uint8Array): Uint8Array => copyBytes(value);

export function postingsDescending(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
  below?: UnitKey | undefined,
): Generator<Posting> {
  return pickDescending(reader, index, key, below, copyValue);
}

/** Like `postingsDescending`. `pick` is called as by `Reader.peek`. */
export function* pickDescending<T>(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
  below: UnitKey | undefined,
  pick: (value: Uint8Array, unit: UnitKey) => T,
): Generator<Picked<T>> {
  const places = reader.findEntries(index.tree, index.tag(key), below && placeOf(below));
  for (const place of places) {
    const picked = pickAt(reader, index, key, place, pick);
    if (picked !== undefined) yield picked;
  }
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
    const posting = pickAt(reader, index, key, place, copyValue);
    if (posting === undefined) continue;
    lastHeight = place.height;
    yield posting;
  }
}

export function postingsAscending(reader: Reader, index: InvertedIndex, key: Uint8Array): Generator<Posting> {
  return pickAscending(reader, index, key, copyValue);
}

/** Like `postingsAscending`. `pick` is called as by `Reader.peek`. */
export function* pickAscending<T>(
  reader: Reader,
  index: InvertedIndex,
  key: Uint8Array,
  pick: (value: Uint8Array, unit: UnitKey) => T,
): Generator<Picked<T>> {
  for (const place of reader.findEntriesAscending(index.tree, index.tag(key))) {
    const picked = pickAt(reader, index, key, place, pick);
    if (picked !== undefined) yield picked;
  }
}

/** Undefined if the unit has no posting of the key: entries of undone units remain, and other keys can have the same tag. */
function pickAt<T>(
  reader: Reader,
  { table }: InvertedIndex,
  key: Uint8Array,
  { height, position }: Place,
  pick: (value: Uint8Array, unit: UnitKey) => T,
): Picked<T> | undefined {
  const unit = { height, sequence: position };
  return reader.peek(table, unit, (postings) => {
    const value = postings.find(key);
    return value && { unit, value: pick(value, unit) };
  });
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
