/** Records blocks whose signatures and scripts were not checked (`--assume-valid`). */
import { BLOCK_ID_LENGTH } from "../../blocks/block.ts";
import type { UncheckedBlocks } from "../../interfaces.ts";
import type { Reader, Writer } from "../../storage/kv.ts";
import { tables } from "../../storage/tables.ts";

/** The block of `--assume-valid`: a peer sent it, and its signature is valid. */
export interface AssumedBlock {
  readonly id: Uint8Array;
  /** ms since 1970. */
  readonly timestamp: bigint;
}

export interface UncheckedRecord {
  /** `from` and `to` are heights, both included. */
  readonly from: number;
  readonly to: number;
  /** The later block that is assumed valid, if the unchecked blocks came from peers. */
  readonly expected?: AssumedBlock | undefined;
  /** True if block `from` is known to be invalid. */
  readonly isFirstInvalid?: boolean | undefined;
}

const KEY = "unchecked";
/** from u32, to u32; optional: isFirstInvalid u8; optional: timestamp i64 and id of `expected`. */
const HEIGHTS_LENGTH = 8;
const FIRST_INVALID_OFFSET = 8;
const TIMESTAMP_OFFSET = 9;
const ID_OFFSET = 17;

/** Returns the record as written; it may include blocks that have left the chain. */
export function uncheckedRecord(reader: Reader): UncheckedRecord | undefined {
  const bytes = reader.get(tables.meta, KEY);
  if (bytes === undefined) return undefined;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const heights = { from: view.getUint32(0), to: view.getUint32(4) };
  if (bytes.length === HEIGHTS_LENGTH) return heights;
  const isFirstInvalid = bytes[FIRST_INVALID_OFFSET] === 1;
  if (bytes.length < ID_OFFSET + BLOCK_ID_LENGTH) return { ...heights, isFirstInvalid };
  const id = Uint8Array.from(bytes.subarray(ID_OFFSET));
  return { ...heights, isFirstInvalid, expected: { id, timestamp: view.getBigInt64(TIMESTAMP_OFFSET) } };
}

export function uncheckedBlocks(reader: Reader): UncheckedBlocks | undefined {
  const record = uncheckedRecord(reader);
  if (record === undefined) return undefined;
  const { from, expected } = record;
  const to = Math.min(record.to, reader.get(tables.tip, undefined)?.height ?? 0);
  if (to < from) return undefined;
  const isReached = expected === undefined || reader.get(tables.blockIds, expected.id) !== undefined;
  return isReached ? { from, to } : { from, to, expectedId: expected.id };
}

/**
 * Adds a block to the record.
 * @param expected the assumed block; undefined if the block is from a file
 */
export function addUncheckedHeight(
  writer: Reader & Writer,
  height: number,
  expected: AssumedBlock | undefined,
): void {
  const record = uncheckedRecord(writer);
  writeUnchecked(writer, {
    from: Math.min(record?.from ?? height, height),
    to: Math.max(record?.to ?? height, height),
    expected: expected ?? record?.expected,
    // A new block at height `from` or below replaces the invalid block.
    isFirstInvalid: record !== undefined && record.from < height && record.isFirstInvalid,
  });
}

export function writeUnchecked(
  writer: Writer,
  { from, to, expected, isFirstInvalid }: UncheckedRecord,
): void {
  const hasFlag = expected !== undefined || isFirstInvalid === true;
  const length = expected !== undefined ? ID_OFFSET + BLOCK_ID_LENGTH : HEIGHTS_LENGTH + (hasFlag ? 1 : 0);
  const bytes = new Uint8Array(length);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, from);
  view.setUint32(4, to);
  if (hasFlag) bytes[FIRST_INVALID_OFFSET] = isFirstInvalid === true ? 1 : 0;
  if (expected !== undefined) {
    view.setBigInt64(TIMESTAMP_OFFSET, expected.timestamp);
    bytes.set(expected.id, ID_OFFSET);
  }
  writer.put(tables.meta, KEY, bytes);
}

export function removeUnchecked(writer: Writer): void {
  writer.remove(tables.meta, KEY);
}
