/** Adds a source's reverted units to our reverted log, as if we had undone them. */
import { isBlockSigned } from "../../blocks/block.ts";
import { isMicroBlockSigned } from "../../blocks/micro-block.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import type { ChainCursor, RevertedRecord } from "../../interfaces.ts";
import { PERSIST_SEQUENCE, type WriteBatch } from "../../storage/batch/write-batch.ts";
import type { Reader } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";
import { bodyOf, type HeaderRow, type MicroBlockRow } from "../../storage/values/chain.ts";
import type { RevertedUnit } from "../../storage/values/reverted.ts";
import {
  type NetworkRules,
  type Transaction,
  transactionBytes,
  transactionId,
} from "../../transactions/index.ts";
import { isOnChain } from "../reading/changes.ts";
import { lastSequence, microBlockRows } from "../reading/micro-blocks.ts";
import { headerRow, keyBlockHeader, LENGTH_FIELD_BYTES, withMicroBlock } from "../reading/rows.ts";
import { RevertedLog } from "../writing/reverted-log.ts";
import { yieldToEventLoop } from "../writing/time-slice.ts";
import { transactionsOf, type UnitContent, unitContent } from "./unit-content.ts";

export interface CheckedRevertedRecord {
  readonly record: RevertedRecord;
  readonly content: Exclude<UnitContent, { readonly kind: "persist" }>;
}

/**
 * Parses records and checks ids and signatures.
 * @param isKnown returns true for a unit to omit
 * @returns valid records, parents first
 */
export async function checkRevertedRecords(
  records: readonly RevertedRecord[],
  network: NetworkRules,
  isKnown: (unit: ChainCursor) => boolean,
): Promise<readonly CheckedRevertedRecord[]> {
  const checked: CheckedRevertedRecord[] = [];
  const ordered = [...records].sort((a, b) => a.height - b.height || a.sequence - b.sequence);
  for (const record of ordered) {
    if (record.sequence === PERSIST_SEQUENCE || isKnown(record)) continue;
    const kind = record.sequence === 0 ? "block" : "micro";
    const content = unitContent({ ...record, kind }, network, false);
    if (!content.ok || content.value.kind === "persist") continue;
    const transactions = transactionsOf(content.value);
    const hasResults =
      record.fees.length === transactions.length && record.payers.length === transactions.length;
    if (hasResults && isSigned(content.value)) checked.push({ record, content: content.value });
    await yieldToEventLoop();
  }
  return checked;
}

export function isUnitKnown(reader: Reader, unit: ChainCursor): boolean {
  return isOnChain(reader, unit) || reader.get(tables.revertedUnits, unit.id) !== undefined;
}

/** Adds unknown units with a known parent. Returns their number. */
export function addRevertedUnits(batch: WriteBatch, units: readonly CheckedRevertedRecord[]): number {
  const log = new RevertedLog(batch);
  let added = 0;
  for (const { record, content } of units) {
    if (isUnitKnown(batch, record)) continue;
    const parent = parentOf(batch, record);
    if (parent === undefined) continue;
    log.append(record.id, revertedUnit(record, content, parent));
    added++;
  }
  return added;
}

/** A unit, and its block's header up to this unit. */
interface Parent extends ChainCursor {
  readonly header: HeaderRow;
}

function parentOf(reader: Reader, { height, sequence, parent: id }: RevertedRecord): Parent | undefined {
  const row = reader.get(tables.revertedUnits, id);
  const parentPlace = sequence === 0 ? { height: height - 1 } : { height, sequence: sequence - 1 };
  if (
    row !== undefined &&
    row.height === parentPlace.height &&
    row.sequence === (parentPlace.sequence ?? row.sequence)
  )
    return { height: row.height, sequence: row.sequence, id, header: row.header };
  const parentSequence = parentPlace.sequence ?? sequenceOf(reader, parentPlace.height, id);
  if (parentSequence === undefined) return undefined;
  const cursor = { height: parentPlace.height, sequence: parentSequence, id };
  return cursor.height > 0 && isOnChain(reader, cursor)
    ? { ...cursor, header: headerUpTo(reader, cursor) }
    : undefined;
}

/** Returns the sequence of the unit that gave a block this id. */
function sequenceOf(reader: Reader, height: number, id: Uint8Array): number | undefined {
  const header = reader.get(tables.headers, height);
  if (header === undefined) return undefined;
  if (bytesEqual(header.baseSignature, id)) return 0;
  if (bytesEqual(header.signature, id)) return lastSequence(reader, height);
  for (const [sequence, { totalSignature }] of microBlockRows(reader, height))
    if (bytesEqual(totalSignature, id)) return sequence;
  return undefined;
}

function headerUpTo(reader: Reader, { height, sequence, id }: ChainCursor): HeaderRow {
  const header = headerRow(reader, height);
  let { size, transactionCount } = header;
  for (const [laterSequence, micro] of microBlockRows(reader, height, sequence + 1)) {
    const body = reader.get(tables.bodies, { height, sequence: laterSequence });
    size -= (body?.bytes.length ?? 0) + LENGTH_FIELD_BYTES * micro.transactionCount;
    transactionCount -= micro.transactionCount;
  }
  return { ...header, signature: id, size, transactionCount };
}

function revertedUnit(
  { height, sequence, id, fees, payers }: RevertedRecord,
  content: CheckedRevertedRecord["content"],
  { header: parentHeader, ...parent }: Parent,
): Omit<RevertedUnit, "serial"> {
  const transactions = transactionsOf(content);
  const body = transactions.length === 0 ? undefined : bodyOf(transactions.map(transactionBytes));
  const results =
    body === undefined
      ? { body, fees: undefined, recorded: undefined }
      : { body, fees: BigInt64Array.from(fees), recorded: recordedTransactions(transactions, payers) };
  const common = { height, sequence, parent, ...results };
  if (content.kind === "block") return { ...common, header: keyBlockHeader(content.block), micro: undefined };
  const { version, reference, totalSignature, signature } = content.micro;
  const micro: MicroBlockRow = {
    version,
    reference,
    totalSignature,
    signature,
    arrivedAt: 0,
    firstPosition: parentHeader.transactionCount,
    transactionCount: transactions.length,
  };
  const header = withMicroBlock(parentHeader, id, transactions.length, body?.bytes.length ?? 0);
  return { ...common, header, micro };
}

function recordedTransactions(
  transactions: readonly Transaction[],
  payers: readonly (Uint8Array | undefined)[],
) {
  return transactions.map((transaction, i) => ({
    id: transactionId(transaction),
    timestamp: transaction.timestamp,
    effectiveSponsor: payers[i],
  }));
}

function isSigned(content: CheckedRevertedRecord["content"]): boolean {
  return content.kind === "block" ? isBlockSigned(content.block) : isMicroBlockSigned(content.micro);
}
