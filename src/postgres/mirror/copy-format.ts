/** The binary format of COPY: https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.4. */
import type { Columns, ColumnType } from "../schema/table.ts";
import type { AccountIdOf, AnyRow } from "./table-rows.ts";

/** Signature, flags, length of the header extension. */
const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const TRAILER = -1;
const NULL_LENGTH = -1;
const INITIAL_BYTES = 64 * 1024;
/** 2000-01-01 in ms since 1970. */
const POSTGRES_EPOCH_MS = 946_684_800_000;
const INT2_TYPE = 21;
/** Digits of `numeric` have base 10,000. */
const NUMERIC_BASE = 10_000n;
const NUMERIC_NEGATIVE = 0x4000;

/** Grows as needed. Values are written big-endian. */
class CopyWriter {
  #buffer = Buffer.allocUnsafe(INITIAL_BYTES);
  #length = 0;

  #reserve(bytes: number): number {
    const at = this.#length;
    if (at + bytes > this.#buffer.length) {
      const larger = Buffer.allocUnsafe(Math.max(2 * this.#buffer.length, at + bytes));
      this.#buffer.copy(larger, 0, 0, at);
      this.#buffer = larger;
    }
    this.#length = at + bytes;
    return at;
  }

  int16(value: number): void {
    const at = this.#reserve(2);
    this.#buffer.writeInt16BE(value, at);
  }

  int32(value: number): void {
    const at = this.#reserve(4);
    this.#buffer.writeInt32BE(value, at);
  }

  int64(value: bigint): void {
    const at = this.#reserve(8);
    this.#buffer.writeBigInt64BE(value, at);
  }

  bytes(value: Uint8Array): void {
    const at = this.#reserve(value.length);
    this.#buffer.set(value, at);
  }

  finish(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }
}

function writeNumeric(writer: CopyWriter, value: bigint): void {
  const digits: number[] = [];
  for (let remaining = value < 0n ? -value : value; remaining > 0n; remaining /= NUMERIC_BASE)
    digits.push(Number(remaining % NUMERIC_BASE));
  digits.reverse();
  // Length in bytes; number of digits, weight of the first one, sign, decimal places.
  writer.int32(8 + 2 * digits.length);
  writer.int16(digits.length);
  writer.int16(Math.max(0, digits.length - 1));
  writer.int16(value < 0n ? NUMERIC_NEGATIVE : 0);
  writer.int16(0);
  for (const digit of digits) writer.int16(digit);
}

function writeInt2Array(writer: CopyWriter, values: readonly number[]): void {
  if (values.length === 0) {
    writer.int32(12);
    writer.int32(0);
    writer.int32(0);
    writer.int32(INT2_TYPE);
    return;
  }
  // Length in bytes; dimensions, no null values, type; number of values, first index.
  writer.int32(20 + 6 * values.length);
  writer.int32(1);
  writer.int32(0);
  writer.int32(INT2_TYPE);
  writer.int32(values.length);
  writer.int32(1);
  for (const value of values) {
    writer.int32(2);
    writer.int16(value);
  }
}

function writeValue(writer: CopyWriter, type: ColumnType, value: unknown, idOf: AccountIdOf): void {
  if (value === null) {
    writer.int32(NULL_LENGTH);
    return;
  }
  switch (type) {
    case "smallint":
      writer.int32(2);
      writer.int16(value as number);
      return;
    case "integer":
      writer.int32(4);
      writer.int32(value as number);
      return;
    case "bigint":
      writer.int32(8);
      writer.int64(value instanceof Uint8Array ? idOf(value) : (value as bigint));
      return;
    case "timestamptz(3)":
      writer.int32(8);
      writer.int64(BigInt((value as Date).getTime() - POSTGRES_EPOCH_MS) * 1_000n);
      return;
    case "boolean":
      writer.int32(1);
      writer.bytes(Uint8Array.of(value === true ? 1 : 0));
      return;
    case "bytea":
      writer.int32((value as Uint8Array).length);
      writer.bytes(value as Uint8Array);
      return;
    case "text": {
      const bytes = Buffer.from(value as string, "utf8");
      writer.int32(bytes.length);
      writer.bytes(bytes);
      return;
    }
    case "numeric":
      writeNumeric(writer, value as bigint);
      return;
    case "smallint[]":
      writeInt2Array(writer, value as readonly number[]);
      return;
    default:
      throw new TypeError(`No binary format for ${type}`);
  }
}

/** Encodes rows for `COPY … FROM STDIN (FORMAT binary)`, with the columns in their order. */
export function encodeCopy(columns: Columns, rows: readonly AnyRow[], idOf: AccountIdOf): Buffer {
  const writer = new CopyWriter();
  const entries = Object.entries(columns);
  writer.bytes(HEADER);
  for (const row of rows) {
    writer.int16(entries.length);
    for (const [name, { type }] of entries) writeValue(writer, type, row[name], idOf);
  }
  writer.int16(TRAILER);
  return writer.finish();
}
