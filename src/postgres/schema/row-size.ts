/** Predicts the bytes that rows need in PostgreSQL. Ignores unused space in the tables' pages. */
import type { Column, Index, Table } from "./table.ts";

type Values = Readonly<Record<string, unknown>>;

/** Header of a row, its null bitmap, and its entry in the page. */
const ROW_OVERHEAD = 28;
/** Header of an index entry, and its entry in the page. */
const ENTRY_OVERHEAD = 12;
/** An index that is built over existing rows fills 90 % of its pages. */
const INDEX_FILL = 0.9;

const aligned = (bytes: number, to = 8): number => Math.ceil(bytes / to) * to;
/** Values of up to 126 bytes have a header of one byte. */
const withHeader = (length: number): number => length + (length < 127 ? 1 : 4);

const FIXED: Readonly<Partial<Record<Column["type"], number>>> = {
  smallint: 2,
  integer: 4,
  bigint: 8,
  boolean: 1,
  uuid: 16,
  "timestamptz(3)": 8,
};

function valueBytes({ type }: Column, value: unknown): number {
  if (value === null || value === undefined) return 0;
  const fixed = FIXED[type];
  if (fixed !== undefined) return fixed;
  if (value instanceof Uint8Array) return withHeader(value.length);
  if (typeof value === "string") return withHeader(Buffer.byteLength(value));
  // Numeric: two bytes for four digits.
  if (typeof value === "bigint") return withHeader(2 + 2 * Math.ceil(value.toString().length / 4));
  if (Array.isArray(value)) return value.length === 0 ? 13 : 21 + 2 * value.length;
  return withHeader(Buffer.byteLength(JSON.stringify(value) ?? ""));
}

function indexBytes(table: Table, row: Values, { on, using, where }: Index): number {
  // BRIN and partial indexes are small.
  if (using === "brin" || where !== undefined) return 0;
  const names = on.split(",").map((name) => name.trim().replaceAll('"', ""));
  const keys = names.reduce((sum, name) => sum + valueBytes(table.columns[name], row[name]), 0);
  return (ENTRY_OVERHEAD + aligned(keys)) / INDEX_FILL;
}

/** @param row may contain addresses in place of account numbers */
export function rowBytes(table: Table, row: Values): number {
  let bytes = 0;
  for (const [name, column] of Object.entries(table.columns)) {
    const value = valueBytes(column, row[name]);
    const fixed = FIXED[column.type];
    bytes = (fixed === undefined ? bytes : aligned(bytes, Math.min(fixed, 8))) + value;
  }
  return ROW_OVERHEAD + aligned(bytes);
}

/** Returns the bytes of a row's entries in all indexes. */
export function rowIndexBytes(table: Table, row: Values): number {
  const key = table.key.length > 0 ? [{ name: "key", on: table.key.join(", ") }] : [];
  return [...key, ...(table.indexes ?? [])].reduce((sum, index) => sum + indexBytes(table, row, index), 0);
}
