/** Page 03 §2.3. */
import { DecodeError } from "../bytes/errors.ts";
import { ByteReader } from "../bytes/reader.ts";
import {
  type NetworkRules,
  parseWithoutCopy,
  type Transaction,
  TransactionParseError,
} from "../transactions/index.ts";
import { BlockParseError, BlockStructureError } from "./errors.ts";

/** Up to this version, the count is one signed byte. */
const MAX_BYTE_COUNT_VERSION = 2;
const MAX_BYTE_COUNT = 127;

interface TransactionOffsets {
  /** The encoded count; a negative count means no transactions. */
  readonly count: number;
  /** Start and end of each transaction, alternating. */
  readonly offsets: Int32Array;
  /** True if the count is not negative and no bytes follow. */
  readonly canonical: boolean;
}

/**
 * Finds transactions without parsing them.
 * @param start index after the section length
 * @param end index after the section; trailing bytes are ignored
 * @throws DecodeError for missing or incomplete transactions
 */
export function scanTransactions(
  source: Uint8Array,
  start: number,
  end: number,
  version: number,
): TransactionOffsets {
  const reader = new ByteReader(source.subarray(0, end), start);
  const count = version <= MAX_BYTE_COUNT_VERSION ? reader.i8() : reader.i32();
  // Reject impossible counts before allocating: each entry takes at least 4 bytes.
  if (count * 4 > reader.remaining) {
    throw new DecodeError(`${count} transactions do not fit in ${reader.remaining} bytes`);
  }
  const offsets = new Int32Array(2 * Math.max(count, 0));
  for (let i = 0; i < offsets.length; i += 2) {
    const length = reader.i32();
    offsets[i] = reader.position;
    reader.skip(length);
    offsets[i + 1] = reader.position;
  }
  return { count, offsets, canonical: count >= 0 && reader.remaining === 0 };
}

/** Consecutive transactions are copied together, up to this number of bytes. */
const MAX_RUN_LENGTH = 8_192;

function endOfRun(offsets: Int32Array, i: number): number {
  let end = offsets[i + 1];
  for (let next = i + 3; next < offsets.length && offsets[next] - offsets[i] <= MAX_RUN_LENGTH; next += 2)
    end = offsets[next];
  return end;
}

/**
 * @param wasAcceptedBefore true if the transaction at the index was accepted before (`reparseTransaction`)
 * @throws BlockParseError with the parser's text
 */
export function parseTransactionsAt(
  source: Uint8Array,
  offsets: Int32Array,
  network: NetworkRules,
  wasAcceptedBefore?: (index: number) => boolean,
): Transaction[] {
  const transactions: Transaction[] = [];
  let copy: Uint8Array = new Uint8Array(0);
  let copyStart = 0;
  let copyEnd = 0;
  try {
    for (let i = 0; i < offsets.length; i += 2) {
      if (offsets[i + 1] > copyEnd) {
        copyStart = offsets[i];
        copyEnd = endOfRun(offsets, i);
        copy = new Uint8Array(source.subarray(copyStart, copyEnd));
      }
      const bytes = copy.subarray(offsets[i] - copyStart, offsets[i + 1] - copyStart);
      transactions.push(parseWithoutCopy(bytes, network, wasAcceptedBefore?.(i / 2) === true));
    }
  } catch (error) {
    if (error instanceof TransactionParseError) throw new BlockParseError(error.message);
    throw error;
  }
  return transactions;
}

/** Returns the length in bytes. @throws BlockStructureError for more transactions than the version allows */
export function sectionLength(transactions: readonly Uint8Array[], version: number): number {
  const hasByteCount = version <= MAX_BYTE_COUNT_VERSION;
  if (hasByteCount && transactions.length > MAX_BYTE_COUNT) {
    throw new BlockStructureError(
      `Block version ${version} could not contain more than ${MAX_BYTE_COUNT} transactions`,
    );
  }
  let length = hasByteCount ? 1 : 4;
  for (const part of transactions) length += 4 + part.length;
  return length;
}

/** Writes a section without its length. Returns the index after it. */
export function writeSection(
  target: Uint8Array,
  at: number,
  transactions: readonly Uint8Array[],
  version: number,
): number {
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  let position = at;
  if (version <= MAX_BYTE_COUNT_VERSION) target[position++] = transactions.length;
  else {
    view.setInt32(position, transactions.length);
    position += 4;
  }
  for (const part of transactions) {
    view.setInt32(position, part.length);
    target.set(part, position + 4);
    position += 4 + part.length;
  }
  return position;
}
