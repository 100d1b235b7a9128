/** The binary format of COPY: https://www.postgresql.org/docs/current/sql-copy.html#id-1.9.3.55.9.4. */
import type { Columns, ColumnType } from "../schema/table.ts";
import type { AddressList } from "./address-list.ts";

/** Signature, flags, length of the header extension. */
const HEADER = Buffer.from("PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0", "latin1");
const TRAILER = -1;
const NULL_LENGTH = -1;
const INITIAL_BYTES = 16 * 1024;
/** Below this length, a loop is faster than `set`. */
const MIN_SET_LENGTH = 64;
/** 2000-01-01 in ms since 1970. */
const POSTGRES_EPOCH_MS = 946_684_800_000;
const INT2_TYPE = 21;
/** Digits of `numeric` have base 10,000. */
const NUMERIC_BASE = 10_000n;
const NUMERIC_NEGATIVE = 0x4000;

/** Encodes rows for `COPY … FROM STDIN (FORMAT binary)`. Account numbers may be unknown until `finish`. */
export class CopyEncoder {
  readonly #names: readonly string[];
  readonly #types: readonly ColumnType[];
  readonly #addresses: AddressList;
  /** Offsets of account numbers. Until `finish`, the bytes contain an index into the address list instead. */
  readonly #accountsAt: number[] = [];
  #bytes = Buffer.allocUnsafe(INITIAL_BYTES);
  #view = viewOf(this.#bytes);
  #length = 0;

  /** @param addresses the list to which addresses in rows are added */
  constructor(columns: Columns, addresses: AddressList) {
    this.#names = Object.keys(columns);
    this.#types = Object.values(columns).map(({ type }) => type);
    this.#addresses = addresses;
    this.#writeBytes(HEADER);
  }

  /** @param row values by column, with addresses (26 bytes) in place of account numbers */
  add(row: Readonly<Record<string, unknown>>): void {
    const types = this.#types;
    const names = this.#names;
    this.#int16(types.length);
    for (let i = 0; i < types.length; i++) this.#value(types[i], row[names[i]]);
  }

  /** Returns all rows. Call this once, after the last `add`. @param ids account numbers in the order of the address list */
  finish(ids: readonly bigint[]): Buffer {
    this.#int16(TRAILER);
    const view = this.#view;
    for (const at of this.#accountsAt) view.setBigInt64(at, ids[view.getInt32(at)]);
    return this.#bytes.subarray(0, this.#length);
  }

  #reserve(bytes: number): number {
    const at = this.#length;
    const length = at + bytes;
    if (length > this.#bytes.length) this.#grow(length);
    this.#length = length;
    return at;
  }

  #grow(length: number): void {
    const larger = Buffer.allocUnsafe(Math.max(2 * this.#bytes.length, length));
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
    this.#view = viewOf(larger);
  }

  #int16(value: number): void {
    const at = this.#reserve(2);
    this.#view.setInt16(at, value);
  }

  #int32(value: number): void {
    const at = this.#reserve(4);
    this.#view.setInt32(at, value);
  }

  #int64(value: bigint): void {
    const at = this.#reserve(8);
    this.#view.setBigInt64(at, value);
  }

  #writeBytes(value: Uint8Array): void {
    const { length } = value;
    const at = this.#reserve(length);
    const bytes = this.#bytes;
    if (length >= MIN_SET_LENGTH) bytes.set(value, at);
    else for (let i = 0; i < length; i++) bytes[at + i] = value[i];
  }

  #value(type: ColumnType, value: unknown): void {
    if (value === null) {
      this.#int32(NULL_LENGTH);
      return;
    }
    switch (type) {
      case "smallint":
        this.#int32(2);
        this.#int16(value as number);
        return;
      case "integer": {
        const at = this.#reserve(8);
        this.#view.setInt32(at, 4);
        this.#view.setInt32(at + 4, value as number);
        return;
      }
      case "bigint":
        this.#int32(8);
        if (typeof value === "bigint") this.#int64(value);
        else this.#account(value as Uint8Array);
        return;
      case "timestamptz(3)":
        this.#int32(8);
        this.#int64(BigInt((value as Date).getTime() - POSTGRES_EPOCH_MS) * 1_000n);
        return;
      case "boolean":
        this.#int32(1);
        this.#bytes[this.#reserve(1)] = value === true ? 1 : 0;
        return;
      case "bytea":
        this.#int32((value as Uint8Array).length);
        this.#writeBytes(value as Uint8Array);
        return;
      case "text": {
        const bytes = Buffer.from(value as string, "utf8");
        this.#int32(bytes.length);
        this.#writeBytes(bytes);
        return;
      }
      case "numeric":
        this.#numeric(value as bigint);
        return;
      case "smallint[]":
        this.#int2Array(value as readonly number[]);
        return;
      default:
        throw new TypeError(`No binary format for ${type}`);
    }
  }

  #account(address: Uint8Array): void {
    const index = this.#addresses.indexOf(address);
    const at = this.#reserve(8);
    this.#view.setInt32(at, index);
    this.#accountsAt.push(at);
  }

  #numeric(value: bigint): void {
    const digits: number[] = [];
    for (let remaining = value < 0n ? -value : value; remaining > 0n; remaining /= NUMERIC_BASE)
      digits.push(Number(remaining % NUMERIC_BASE));
    digits.reverse();
    // Length in bytes; number of digits, weight of the first one, sign, decimal places.
    this.#int32(8 + 2 * digits.length);
    this.#int16(digits.length);
    this.#int16(Math.max(0, digits.length - 1));
    this.#int16(value < 0n ? NUMERIC_NEGATIVE : 0);
    this.#int16(0);
    for (const digit of digits) this.#int16(digit);
  }

  #int2Array(values: readonly number[]): void {
    if (values.length === 0) {
      this.#int32(12);
      this.#int32(0);
      this.#int32(0);
      this.#int32(INT2_TYPE);
      return;
    }
    // Length in bytes; dimensions, no null values, type; number of values, first index.
    this.#int32(20 + 6 * values.length);
    this.#int32(1);
    this.#int32(0);
    this.#int32(INT2_TYPE);
    this.#int32(values.length);
    this.#int32(1);
    for (const value of values) {
      this.#int32(2);
      this.#int16(value);
    }
  }
}

function viewOf({ buffer, byteOffset, byteLength }: Uint8Array): DataView {
  return new DataView(buffer, byteOffset, byteLength);
}
