import type { SqlConnection } from "../connection/sql-connection.ts";
import { allTables } from "../schema/all-tables.ts";
import { TABLES_SCHEMA, tableName } from "../schema/statements.ts";

const ACCOUNTS: readonly string[] = ["account", "sender", "recipient", "generator", "sponsor"];

/** Returns the rows of all tables that depend only on the chain, as sorted texts with addresses of accounts. */
export async function mirroredRows(sql: SqlConnection): Promise<ReadonlyMap<string, readonly string[]>> {
  const contents = new Map<string, readonly string[]>();
  for (const { name, kind, columns } of allTables) {
    if (kind.kind === "kept") continue;
    const values = Object.keys(columns).map((column) =>
      ACCOUNTS.includes(column)
        ? `(SELECT a.text FROM ${TABLES_SCHEMA}.account a WHERE a.id = t."${column}")`
        : `t."${column}"`,
    );
    const { rows } = await sql.query<{ text: string }>(
      `SELECT ROW(${values.join(", ")})::text AS text FROM ${tableName({ name })} t ORDER BY 1`,
    );
    contents.set(
      name,
      rows.map(({ text }) => text),
    );
  }
  const { rows } = await sql.query<{ text: string }>(
    `SELECT ROW(height, sequence, id, persisted_height, score, state)::text AS text FROM ${TABLES_SCHEMA}.chain`,
  );
  contents.set(
    "chain",
    rows.map(({ text }) => text),
  );
  return contents;
}

/** Restores the state after a migration. */
export async function emptyTables(sql: SqlConnection): Promise<void> {
  await sql.query(`TRUNCATE ${allTables.map(tableName).join(", ")}`);
  await sql.query(`SELECT ${TABLES_SCHEMA}.drop_late_indexes()`);
}
