/** The part of a block or micro block that holds its transactions. Page 03 §2.3. */
import { DecodeError } from "../bytes/errors.ts";
import { ByteReader } from "../bytes/reader.ts";
import {
  type NetworkRules,
  parseTransaction,
  reparseTransaction,
  type Transaction,
  TransactionParseError,
} from "../transactions/index.ts";
import { BlockParseError, BlockStructureError } from "./errors.ts";

/** Up to this version the count is one signed byte. */
const MAX_BYTE_COUNT_VERSION = 2;
/** The most transactions that a signed byte can count. */
const MAX_BYTE_COUNT = 127;

/** Where the transactions of a section lie. */
interface TransactionOffsets {
  /** The number that the section states; it may be negative, which means none. */
  readonly count: number;
  /** Start and end of each transaction in the source, by turns. */
  readonly offsets: Int32Array;
  /** Whether count and lengths stand there as they are written, with nothing behind them. */
  readonly canonical: boolean;
}

/**
 * Finds the transactions of a section without parsing them.
 * @param source bytes of the block
 * @param start index of the section's first byte (behind its length)
 * @param end index behind the section's last byte; what lies behind the last transaction is ignored
 * @throws DecodeError when entries are missing or cut short
 */
export function scanTransactions(
  source: Uint8Array,
  start: number,
  end: number,
  version: number,
): TransactionOffsets {
  const reader = new ByteReader(source.subarray(0, end), start);
  const count = version <= MAX_BYTE_COUNT_VERSION ? reader.i8() : reader.i32();
  // Each entry takes at least its length: refuse before reserving memory for a count that cannot be true.
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

/**
 * Parses the transactions at the offsets.
 * @param readBefore whether one, by its number, was read before and found good (`parseTransactionAgain`)
 * @throws BlockParseError with the text of the transaction's parser
 */
export function parseTransactionsAt(
  source: Uint8Array,
  offsets: Int32Array,
  network: NetworkRules,
  readBefore?: (index: number) => boolean,
): Transaction[] {
  const transactions: Transaction[] = [];
  try {
    for (let i = 0; i < offsets.length; i += 2) {
      const parse = readBefore?.(i / 2) === true ? reparseTransaction : parseTransaction;
      transactions.push(parse(source.subarray(offsets[i], offsets[i + 1]), network));
    }
  } catch (error) {
    if (error instanceof TransactionParseError) throw new BlockParseError(error.message);
    throw error;
  }
  return transactions;
}

/**
 * The length of a section that holds transactions of these bytes.
 * @throws BlockStructureError when this version cannot count so many
 */
export function sectionLength(parts: readonly Uint8Array[], version: number): number {
  const byteCount = version <= MAX_BYTE_COUNT_VERSION;
  if (byteCount && parts.length > MAX_BYTE_COUNT) {
    throw new BlockStructureError(
      `Block version ${version} could not contain more than ${MAX_BYTE_COUNT} transactions`,
    );
  }
  let length = byteCount ? 1 : 4;
  for (const part of parts) length += 4 + part.length;
  return length;
}

/** Writes a section, without its length, at `at`; returns the index behind it. */
export function writeSection(
  target: Uint8Array,
  at: number,
  parts: readonly Uint8Array[],
  version: number,
): number {
  const view = new DataView(target.buffer, target.byteOffset, target.byteLength);
  let position = at;
  if (version <= MAX_BYTE_COUNT_VERSION) target[position++] = parts.length;
  else {
    view.setInt32(position, parts.length);
    position += 4;
  }
  for (const part of parts) {
    view.setInt32(position, part.length);
    target.set(part, position + 4);
    position += 4 + part.length;
  }
  return position;
}
