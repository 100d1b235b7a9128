/** SQL statements that create tables, from their descriptions. */
import { allTables } from "./all-tables.ts";
import type { Column, Index, Table } from "./table.ts";

/** Format of the tables that this program reads and writes. */
export const FORMAT = 1;
/** Schema of the views. */
export const VIEWS_SCHEMA = "holdfast";
/** Schema of the tables of this format. */
export const TABLES_SCHEMA = `${VIEWS_SCHEMA}_${FORMAT}`;
/** Blocks per partition: two years at one block a minute. */
export const PARTITION_BLOCKS = 1_000_000;
/** Partitions exist for this number of blocks above the tip. */
export const PARTITIONS_AHEAD = 10_000;

export const quoteText = (text: string): string => `'${text.replaceAll("'", "''")}'`;
export const quoteName = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Quoted, with the schema. */
export const tableName = (table: Pick<Table, "name">): string => `${TABLES_SCHEMA}.${quoteName(table.name)}`;

const columnText = ([name, { type, isNullable }]: [string, Column]): string =>
  `${quoteName(name)} ${type}${isNullable ? "" : " not null"}`;

function* tableStatements(table: Table): Generator<string> {
  const columns = Object.entries(table.columns);
  const parts = columns.map(columnText);
  if (table.key.length > 0 && table.isKeyLate !== true)
    parts.push(`primary key (${table.key.map(quoteName).join(", ")})`);
  const partition = table.isPartitioned === true ? " partition by range (height)" : "";
  yield `create table ${tableName(table)} (\n  ${parts.join(",\n  ")}\n)${partition}`;
  if (table.key.length === 0)
    yield `create unique index ${quoteName(`${table.name}_one_row`)} on ${tableName(table)} ((true))`;
  for (const name of table.uncompressed ?? [])
    yield `alter table ${tableName(table)} alter column ${quoteName(name)} set storage external`;
  yield `comment on table ${tableName(table)} is ${quoteText(table.comment)}`;
  for (const [name, { comment }] of columns)
    yield `comment on column ${tableName(table)}.${quoteName(name)} is ${quoteText(comment)}`;
}

export interface LateIndex {
  readonly name: string;
  readonly table: string;
  readonly statement: string;
}

function lateIndex(table: Table, { name, on, isUnique, using, where }: Index): LateIndex {
  const full = `${table.name}_${name}`;
  const unique = isUnique === true ? "unique " : "";
  const method = using === undefined ? "" : ` using ${using}`;
  // Undoing units reads whole ranges of pages, so the ranges are small.
  const options = using === "brin" ? " with (pages_per_range = 16, autosummarize = on)" : "";
  const condition = where === undefined ? "" : ` where ${where}`;
  return {
    name: full,
    table: table.name,
    statement: `create ${unique}index if not exists ${quoteName(full)} on ${tableName(table)}${method} (${on})${options}${condition}`,
  };
}

/** Indexes that are created only after the first fill of the tables. */
export const lateIndexes: readonly LateIndex[] = allTables.flatMap((table) => [
  ...(table.isKeyLate === true
    ? [lateIndex(table, { name: "key", on: table.key.map(quoteName).join(", "), isUnique: true })]
    : []),
  ...(table.indexes ?? []).map((index) => lateIndex(table, index)),
]);

/** Returns statements that create all tables, without late indexes and partitions. */
export function createTables(): string[] {
  return allTables.flatMap((table) => [...tableStatements(table)]);
}
