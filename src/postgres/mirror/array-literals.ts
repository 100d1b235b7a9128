/** Rows as one array per column, for `INSERT … SELECT … FROM unnest(…)`. */
import type { Columns, ColumnType } from "../schema/table.ts";
import type { AccountIdOf, AnyRow } from "./table-rows.ts";

/** PostgreSQL flattens arrays of arrays, so an inner array is sent as text. */
function arrayType(type: ColumnType): string {
  return type === "smallint[]" ? "text[]" : `${type}[]`;
}

function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, "\\$&")}"`;
}

function elementOf(type: ColumnType, value: unknown, idOf: AccountIdOf): string {
  if (value === null) return "NULL";
  switch (type) {
    case "bigint":
      return (value instanceof Uint8Array ? idOf(value) : (value as bigint)).toString();
    case "bytea": {
      const { buffer, byteOffset, length } = value as Uint8Array;
      return `"\\\\x${Buffer.from(buffer, byteOffset, length).toString("hex")}"`;
    }
    case "text":
      return quoted(value as string);
    case "jsonb":
      return quoted(JSON.stringify(value));
    case "timestamptz(3)":
      return quoted((value as Date).toISOString());
    case "smallint[]":
      return quoted(`{${(value as readonly number[]).join()}}`);
    default:
      return String(value);
  }
}

/** Returns `unnest(…) AS r(…)`, with a parameter for each column. @param first number of the first parameter */
export function unnest(columns: Columns, first = 1): string {
  const entries = Object.entries(columns);
  const arrays = entries.map(([, { type }], i) => `$${first + i}::text::${arrayType(type)}`).join(", ");
  return `unnest(${arrays}) AS r(${entries.map(([name]) => `"${name}"`).join(", ")})`;
}

/** Returns a query of the rows of `arrayParameters`. */
export function selectRows(columns: Columns, first = 1): string {
  const values = Object.entries(columns).map(([name, { type }]) =>
    type === "smallint[]" ? `r."${name}"::smallint[] AS "${name}"` : `r."${name}"`,
  );
  return `SELECT ${values.join(", ")} FROM ${unnest(columns, first)}`;
}

/**
 * Returns the statement that inserts the rows of `arrayParameters`.
 * @param suffix for example `ON CONFLICT DO NOTHING`
 */
export function insertStatement(table: string, columns: Columns, suffix = ""): string {
  const names = Object.keys(columns).map((name) => `"${name}"`);
  return `INSERT INTO ${table} (${names.join(", ")}) ${selectRows(columns)} ${suffix}`.trimEnd();
}

/** Returns the values of the parameters of `unnest`. */
export function arrayParameters(columns: Columns, rows: readonly AnyRow[], idOf: AccountIdOf): string[] {
  return Object.entries(columns).map(
    ([name, { type }]) => `{${rows.map((row) => elementOf(type, row[name], idOf)).join()}}`,
  );
}

export function byteaArray(values: readonly Uint8Array[]): string {
  return `{${values.map((value) => elementOf("bytea", value, () => 0n)).join()}}`;
}
