import { bytesEqual } from "../../bytes/compare.ts";
import type { ChainCursor, FollowedPosition, PersistUnits } from "../../interfaces.ts";
import { MAX_PERSIST_UNITS } from "../../queries/units.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import type { RevertedUnit } from "../../storage/values/reverted.ts";
import { isOnChain } from "./changes.ts";
import { lastSequence } from "./micro-blocks.ts";
import { headerRow } from "./rows.ts";
import { hasPersistUnit, newestRecord } from "./unit-records.ts";

/** Returns true if our chain has this unit, which may be a persist unit. */
export function isRecordOnChain(reader: Reader, position: ChainCursor): boolean {
  const { height, sequence, id } = position;
  if (sequence !== PERSIST_SEQUENCE) return isOnChain(reader, position);
  const header = reader.get(tables.headers, height);
  if (header === undefined || !bytesEqual(header.signature, id)) return false;
  const newest = newestRecord(reader);
  return newest.height === height
    ? newest.sequence === PERSIST_SEQUENCE
    : hasPersistUnit(reader, height) || height < (journalStart(reader) ?? 0);
}

function journalStart(reader: Reader): number | undefined {
  for (const [{ height }] of reader.range(tables.journal, { limit: 1 })) return height;
  return undefined;
}

function persistHeights(reader: Reader, from: number, to: number): number[] {
  const heights: number[] = [];
  for (let height = from; height < to; height++)
    if (reader.get(tables.journal, { height, sequence: PERSIST_SEQUENCE }) !== undefined)
      heights.push(height);
  return heights;
}

/** Returns the newest persist units that are in the journal, without that of the newest block. */
export function persistUnits(reader: Reader): PersistUnits {
  const { height: tip } = newestRecord(reader);
  const from = journalStart(reader) ?? tip;
  const all = persistHeights(reader, from, tip);
  const heights = all.slice(-MAX_PERSIST_UNITS);
  return { from: heights.length < all.length ? heights[0] : from, heights };
}

/** Returns the newest unit that our chain and a follower's chain share; undefined if unknown. */
export function commonRecord(reader: Reader, position: FollowedPosition): ChainCursor | undefined {
  const { height, sequence, id, persists, reverts } = position;
  if (reverts !== undefined && hasDroppedSince(reader, reverts)) return undefined;
  let at: ChainCursor = { height, sequence, id };
  for (;;) {
    const row = reader.get(tables.revertedUnits, at.id);
    const isRevertedSince = reverts !== undefined && row !== undefined && row.serial > reverts;
    if (!isRevertedSince && isRecordOnChain(reader, at)) break;
    const before = at.sequence === PERSIST_SEQUENCE ? persistedUnit(reader, at, row) : parentOf(at, row);
    if (before === undefined) return undefined;
    at = before;
  }
  return (persists && belowDifferingPersistUnit(reader, at, persists)) ?? at;
}

/** Returns the number of units ever reverted: the newest serial in the reverted log. */
export function revertCount(reader: Reader): number {
  for (const [serial] of reader.range(tables.revertedOrder, { reverse: true, limit: 1 })) return serial;
  return 0;
}

/** Returns true if the log lacks units reverted after the first `reverts` ones. */
function hasDroppedSince(reader: Reader, reverts: number): boolean {
  for (const [serial] of reader.range(tables.revertedOrder, { limit: 1 })) return serial > reverts + 1;
  return false;
}

function parentOf({ height, sequence }: ChainCursor, row: RevertedUnit | undefined): ChainCursor | undefined {
  return row?.height === height && row.sequence === sequence ? row.parent : undefined;
}

function persistedUnit(
  reader: Reader,
  { height, id }: ChainCursor,
  row: RevertedUnit | undefined,
): ChainCursor | undefined {
  const header = reader.get(tables.headers, height);
  if (header !== undefined && bytesEqual(header.signature, id))
    return { height, sequence: lastSequence(reader, height), id };
  return row?.height === height ? { height, sequence: row.sequence, id } : undefined;
}

/**
 * Finds the lowest block below `at` that has a persist unit on only one of the two chains. Returns the unit
 * before the persist unit.
 */
function belowDifferingPersistUnit(
  reader: Reader,
  at: ChainCursor,
  { from, heights }: PersistUnits,
): ChainCursor | undefined {
  const lowest = Math.max(from, journalStart(reader) ?? at.height);
  const own = persistHeights(reader, lowest, at.height);
  const others = heights.filter((height) => height >= lowest && height < at.height);
  const differing = [
    ...own.filter((height) => !others.includes(height)),
    ...others.filter((height) => !own.includes(height)),
  ];
  if (differing.length === 0) return undefined;
  const height = Math.min(...differing);
  return { height, sequence: lastSequence(reader, height), id: headerRow(reader, height).signature.slice() };
}
