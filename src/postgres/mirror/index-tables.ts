/** Creates indexes, balances of accounts and statistics after the fill. */
import type { SqlConnection } from "../connection/sql-connection.ts";
import { tables } from "../schema/all-tables.ts";
import { lateIndexes, TABLES_SCHEMA, tableName } from "../schema/statements.ts";
import { OutdatedPositionError } from "./apply-batch.ts";

/** A large index may take hours. TCP keep-alive detects a server that vanished. */
const INDEX_TIMEOUT_MS = 24 * 3_600_000;
/** A fill looks up addresses and leases. */
const NEEDED_FOR_FILL: readonly string[] = ["account_address", "lease_id"];

const state = tableName(tables.accountState);
const change = tableName(tables.accountChange);
const chain = tableName(tables.chain);

const FILL_STATES = `
INSERT INTO ${state} (account, height, sequence, balance, lease_in, lease_out, unbonding)
SELECT DISTINCT ON (account) account, height, sequence, balance, lease_in, lease_out, unbonding
FROM ${change} ORDER BY account, height DESC, sequence DESC`;

function createIndex(sql: SqlConnection, name: string): Promise<unknown> {
  return sql.query(`SELECT ${TABLES_SCHEMA}.create_late_index($1)`, [name], { deadlineMs: INDEX_TIMEOUT_MS });
}

/** @throws SqlError */
export async function createFillIndexes(sql: SqlConnection): Promise<void> {
  for (const name of NEEDED_FOR_FILL) await createIndex(sql, name);
}

/** Creates missing indexes, one at a time. @param onIndex called before each; may throw, to stop @throws SqlError */
export async function createIndexes(
  sql: SqlConnection,
  onIndex: (name: string, done: number, total: number) => void,
): Promise<void> {
  for (const [done, { name }] of lateIndexes.entries()) {
    onIndex(name, done, lateIndexes.length);
    await createIndex(sql, name);
  }
  await sql.query(`SELECT ${TABLES_SCHEMA}.analyze_tables()`, [], { deadlineMs: INDEX_TIMEOUT_MS });
}

/** Fills the tables of the kind `state`, and goes live. @throws OutdatedPositionError, SqlError */
export async function goLive(sql: SqlConnection, epoch: bigint): Promise<void> {
  await sql.transaction(async () => {
    await requireEpoch(sql, epoch);
    const options = { deadlineMs: INDEX_TIMEOUT_MS };
    await sql.query(`DELETE FROM ${state}`, [], options);
    await sql.query(FILL_STATES, [], options);
    await sql.query(`UPDATE ${chain} SET state = 'live', changed_at = clock_timestamp()`);
  });
}

/** @throws OutdatedPositionError, SqlError */
export async function beginIndexing(sql: SqlConnection, epoch: bigint): Promise<void> {
  await sql.transaction(async () => {
    await requireEpoch(sql, epoch);
    await sql.query(`UPDATE ${chain} SET state = 'indexing', changed_at = clock_timestamp()`);
  });
}

async function requireEpoch(sql: SqlConnection, epoch: bigint): Promise<void> {
  const { rows } = await sql.query<{ epoch: bigint }>(`SELECT epoch FROM ${chain} FOR UPDATE`);
  if (rows[0]?.epoch !== epoch) throw new OutdatedPositionError("Another mirror became the writer");
}
