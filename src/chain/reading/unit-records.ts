import { assembleBlock } from "../../blocks/block.ts";
import { assembleMicroBlock } from "../../blocks/micro-block.ts";
import type {
  ChainCursor,
  UnitAccount,
  UnitLimits,
  UnitRecord,
  UnitRecords,
  UnitResults,
} from "../../interfaces.ts";
import { PERSIST_SEQUENCE } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import type { UnitKey } from "../../storage/places.ts";
import { tables } from "../../storage/tables.ts";
import { listedTransactions } from "../../storage/values/indexes.ts";
import { accountPointValue } from "../../storage/values/ledger.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import { unitBody } from "./bodies.ts";
import { chainStart, newestUnit } from "./changes.ts";
import { microBlockRow } from "./micro-blocks.ts";
import { headerAt, headerRow } from "./rows.ts";
import { type ChainUnit, unitsFrom } from "./stored-units.ts";

const NO_BYTES = new Uint8Array(0);

/** Returns the newest unit, which may be a persist unit. */
export function newestRecord(reader: Reader): ChainCursor {
  const newest = newestUnit(reader);
  const isPersisted = newest.height > 0 && reader.get(tables.heights, undefined)?.persisted === newest.height;
  return isPersisted ? { ...newest, sequence: PERSIST_SEQUENCE } : newest;
}

/** Returns the minimum number of units that a follower at `position` lacks. */
export function minUnitsBehind(position: ChainCursor, newest: ChainCursor): number {
  if (isSameUnit(position, newest)) return 0;
  const blocks = newest.height - position.height;
  const isCounted = blocks === 0 && newest.sequence !== PERSIST_SEQUENCE;
  return Math.max(1, isCounted ? newest.sequence - position.sequence : blocks);
}

/**
 * Returns true if the store knows that a block was persisted without a child, as after an import or a
 * rollback.
 */
export function hasPersistUnit(reader: Reader, height: number): boolean {
  const unit = { height, sequence: PERSIST_SEQUENCE };
  return (
    reader.get(tables.unitDigests, unit) !== undefined ||
    reader.get(tables.journal, unit) !== undefined ||
    reader.get(tables.accountHistory, unit) !== undefined
  );
}

/** Returns positions at growing distances below the newest unit, newest first, down to the first block. */
export function earlierRecords(reader: Reader): readonly ChainCursor[] {
  const positions: ChainCursor[] = [];
  const { height: newest } = newestUnit(reader);
  for (let height = newest, distance = 1; height >= 1; distance *= 2) {
    positions.push({ height, sequence: 0, id: headerRow(reader, height).baseSignature.slice() });
    height = height > 1 ? Math.max(1, newest - distance) : 0;
  }
  return positions;
}

/** See `UnitQueries.after`. */
export function recordsAfter(
  reader: Reader,
  network: NetworkRules,
  position: ChainCursor,
  limits: UnitLimits,
): UnitRecords {
  const records: UnitRecord[] = [];
  let bytes = 0;
  for (const record of allAfter(reader, network, position)) {
    if (records.length > 0 && (records.length >= limits.units || bytes >= limits.bytes))
      return { records, isComplete: false };
    records.push(record);
    bytes += record.bytes.length;
  }
  return { records, isComplete: true };
}

function* allAfter(reader: Reader, network: NetworkRules, position: ChainCursor): Generator<UnitRecord> {
  const isPersist = position.sequence === PERSIST_SEQUENCE;
  const next =
    position.height === 0 || isPersist
      ? { height: position.height + 1, sequence: 0 }
      : { height: position.height, sequence: position.sequence + 1 };
  for (const unit of unitsFrom(reader, network, next)) {
    const parentHeight = unit.height - 1;
    const startsAfterPersistUnit = isPersist && position.height === parentHeight;
    const isParentPersisted =
      unit.sequence === 0 && (startsAfterPersistUnit || hasPersistUnit(reader, parentHeight));
    if (isParentPersisted && !startsAfterPersistUnit) yield persistRecord(reader, parentHeight);
    yield recordOf(reader, unit, isParentPersisted);
  }
  const newest = newestRecord(reader);
  if (newest.sequence === PERSIST_SEQUENCE && !(isPersist && position.height === newest.height))
    yield persistRecord(reader, newest.height);
}

function persistRecord(reader: Reader, height: number): UnitRecord {
  const id = headerRow(reader, height).signature.slice();
  const unit = { height, sequence: PERSIST_SEQUENCE };
  return {
    kind: "persist",
    ...unit,
    id,
    parent: id,
    bytes: NO_BYTES,
    arrivedAt: 0,
    isParentPersisted: false,
    digest: unitDigest(reader, unit),
  };
}

/** @param unit its reader must still be open */
function recordOf(reader: Reader, unit: ChainUnit, isParentPersisted: boolean): UnitRecord {
  const { height, sequence, id, reference, micro } = unit;
  const body = unitBody(reader, unit);
  const common = {
    height,
    sequence,
    id: id.slice(),
    parent: reference.slice(),
    isParentPersisted,
    digest: unitDigest(reader, unit),
  };
  if (micro !== undefined) {
    const { generator } = headerRow(reader, height);
    const bytes = assembleMicroBlock({ ...micro, generator }, body);
    return { kind: "micro", ...common, bytes, arrivedAt: micro.arrivedAt };
  }
  const header = headerAt(reader, height, 0);
  if (header === undefined) throw new RangeError(`No block at height ${height}`);
  return { kind: "block", ...common, bytes: assembleBlock(header, body), arrivedAt: 0 };
}

function unitDigest(reader: Reader, { height, sequence }: UnitKey): Uint8Array | undefined {
  return reader.get(tables.unitDigests, { height, sequence });
}

/** See `UnitQueries.accounts`. */
export function changedAccounts(reader: Reader, unit: ChainCursor): readonly UnitAccount[] {
  if (unit.height === chainStart.height) return [];
  const { height, sequence } = unit;
  const postings = reader.get(tables.accountHistory, { height, sequence });
  return Array.from(postings ?? [], ({ key, value }) => ({
    address: key.slice(),
    ...accountPointValue.decode(value),
  }));
}

const noResults: UnitResults = { firstPosition: 0, transactions: [] };

/** See `UnitQueries.results`. */
export function resultsOf(reader: Reader, { height, sequence }: ChainCursor): UnitResults {
  if (sequence === PERSIST_SEQUENCE) return noResults;
  const firstPosition = microBlockRow(reader, { height, sequence })?.firstPosition ?? 0;
  const fees = reader.get(tables.effectiveFees, { height, sequence });
  const recorded = reader.get(tables.recorded, { height, position: firstPosition });
  if (fees === undefined || recorded === undefined) return { ...noResults, firstPosition };
  const touched = Array.from(fees, (): Uint8Array[] => []);
  for (const { key, value } of reader.get(tables.addressTransactions, { height, sequence }) ?? []) {
    const address = key.slice();
    for (const { position, inNodeList } of listedTransactions(value))
      if (inNodeList) touched[position - firstPosition].push(address);
  }
  const transactions = Array.from(recorded, ({ id, effectiveSponsor }, i) => ({
    id: id.slice(),
    effectiveFee: fees[i],
    effectiveSponsor: effectiveSponsor?.slice(),
    accounts: touched[i],
  }));
  return { firstPosition, transactions };
}
