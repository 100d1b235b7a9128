/**
 * Migrations of format 1, oldest first. Each is additive and runs online. After changing a table's description, add a
 * migration that changes existing tables.
 */
import { analyzeTable, createFunctions } from "./functions.ts";
import { createTables, lateIndexes, quoteText, TABLES_SCHEMA } from "./statements.ts";

export interface SchemaMigration {
  readonly name: string;
  readonly statements: () => readonly string[];
}

export const migrations: readonly SchemaMigration[] = [
  { name: "1.0", statements: () => [...createFormat(), ...createTables(), ...createFunctions()] },
  { name: "1.1", statements: () => addLateIndex("unit_persist") },
  { name: "1.2", statements: () => [analyzeTable] },
];

/** Adds an index. A mirror that still fills creates it later. */
function addLateIndex(name: string): string[] {
  const index = lateIndexes.find((one) => one.name === name);
  if (index === undefined) throw new RangeError(`There is no index ${name}`);
  const row = [name, index.table, index.statement].map(quoteText).join(", ");
  return [
    `insert into ${TABLES_SCHEMA}.late_index values (${row}) on conflict do nothing`,
    `select ${TABLES_SCHEMA}.create_late_index(${quoteText(name)}) from ${TABLES_SCHEMA}.chain where state = 'live'`,
  ];
}

function createFormat(): string[] {
  const table = `${TABLES_SCHEMA}.format`;
  return [
    `create table ${table} (format integer not null, views text not null, program text not null, migrated_at timestamptz(3) not null)`,
    `create unique index format_one_row on ${table} ((true))`,
    `comment on table ${table} is 'One row: version of this schema.'`,
    `comment on column ${table}.format is 'Format of the tables'`,
    `comment on column ${table}.views is 'Version of the views: MAJOR.MINOR'`,
    `comment on column ${table}.program is 'Program and version of the newest migration'`,
    `comment on column ${table}.migrated_at is 'Time of the newest migration'`,
  ];
}
