/** Creates indexes, account states and statistics after the fill. */
import type { SqlConnection } from "../connection/sql-connection.ts";
import { allTables, tables } from "../schema/all-tables.ts";
import { lateIndexes, TABLES_SCHEMA, tableName } from "../schema/statements.ts";
import { OutdatedPositionError } from "./apply-batch.ts";

/** A large index may take hours. TCP keep-alive detects a server that vanished. */
const INDEX_TIMEOUT_MS = 24 * 3_600_000;
/** A fill looks up addresses and leases. */
const NEEDED_FOR_FILL: readonly string[] = ["account_address", "lease_id"];

const state = tableName(tables.accountState);
const change = tableName(tables.accountChange);
const chain = tableName(tables.chain);

/** Index commits do not wait for the disk, but `goLive` does. After a crash before it, missing indexes are created again. */
const ASYNC_COMMIT = "set_config('synchronous_commit', 'off', true)";

const FILL_STATES = `
INSERT INTO ${state} (account, height, sequence, balance, lease_in, lease_out, unbonding)
SELECT DISTINCT ON (account) account, height, sequence, balance, lease_in, lease_out, unbonding
FROM ${change} ORDER BY account, height DESC, sequence DESC`;

function createIndex(sql: SqlConnection, name: string): Promise<unknown> {
  return sql.query(`SELECT ${ASYNC_COMMIT}, ${TABLES_SCHEMA}.create_late_index($1)`, [name], {
    deadlineMs: INDEX_TIMEOUT_MS,
  });
}

/** @throws SqlError */
export async function createFillIndexes(sql: SqlConnection): Promise<void> {
  for (const name of NEEDED_FOR_FILL) await createIndex(sql, name);
}

/** Returns the names of all tables, largest first. @throws SqlError */
async function tablesBySize(sql: SqlConnection): Promise<string[]> {
  const { rows } = await sql.query<{ name: string }>(
    `SELECT name FROM unnest($1::text[]) AS t(name),
       LATERAL (SELECT format('${TABLES_SCHEMA}.%I', name)::regclass AS id) r
     ORDER BY (SELECT coalesce(sum(pg_relation_size(relid)), pg_relation_size(r.id))
       FROM pg_partition_tree(r.id)) DESC`,
    [allTables.map(({ name }) => name)],
  );
  return rows.map(({ name }) => name);
}

/**
 * Creates missing indexes and statistics. Each connection works on one table at a time.
 * @param onIndex called before each index; may throw, to stop
 * @throws SqlError
 */
export async function createIndexes(
  connections: readonly [SqlConnection, ...SqlConnection[]],
  onIndex: (name: string, done: number, total: number) => void,
): Promise<void> {
  const remaining = await tablesBySize(connections[0]);
  let done = 0;
  let hasFailed = false;
  const indexTables = async (sql: SqlConnection): Promise<void> => {
    for (let table = remaining.shift(); table !== undefined; table = remaining.shift()) {
      for (const { name } of lateIndexes.filter((index) => index.table === table)) {
        if (hasFailed) return;
        onIndex(name, done++, lateIndexes.length);
        await createIndex(sql, name);
      }
      await sql.query(`SELECT ${ASYNC_COMMIT}, ${TABLES_SCHEMA}.analyze_table($1)`, [table], {
        deadlineMs: INDEX_TIMEOUT_MS,
      });
    }
  };
  const results = await Promise.allSettled(
    connections.map((sql) =>
      indexTables(sql).catch((error: unknown) => {
        hasFailed = true;
        throw error;
      }),
    ),
  );
  for (const result of results) if (result.status === "rejected") throw result.reason;
}

/** Fills `account_state`, and goes live. @throws OutdatedPositionError, SqlError */
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
