/** Restores the tables to their state after an earlier unit. */
import type { ChainCursor } from "../../interfaces.ts";
import type { SqlConnection, SqlValue } from "../connection/sql-connection.ts";
import { allTables, tables } from "../schema/all-tables.ts";
import { tableName } from "../schema/statements.ts";

/** Retention of the log of reverted units. */
const REVERTED_DAYS = 7;
/** A deep fork changes many rows. */
export const UNDO_TIMEOUT_MS = 60_000;

/** Rows after a place. The first condition skips partitions. Parameters: height, then sequence or position. */
const afterSequence = "height >= $1 AND (height, sequence) > ($1, $2)";
const fromPosition = "height >= $1 AND (height, position) >= ($1, $2)";

/** Restores the newest remaining change of each account that the undone units changed. */
const UNDO_ACCOUNTS = `
WITH gone AS (DELETE FROM ${tableName(tables.accountChange)} WHERE ${afterSequence} RETURNING account),
changed AS (SELECT DISTINCT account FROM gone),
newest AS (
  SELECT changed.account, c.height, c.sequence, c.balance, c.lease_in, c.lease_out, c.unbonding
  FROM changed LEFT JOIN LATERAL (
    SELECT * FROM ${tableName(tables.accountChange)} o
    WHERE o.account = changed.account AND o.height <= $1 AND (o.height, o.sequence) <= ($1, $2)
    ORDER BY o.height DESC, o.sequence DESC LIMIT 1) c ON true),
removed AS (
  DELETE FROM ${tableName(tables.accountState)} s USING newest n WHERE s.account = n.account AND n.height IS NULL)
UPDATE ${tableName(tables.accountState)} s SET height = n.height, sequence = n.sequence, balance = n.balance,
  lease_in = n.lease_in, lease_out = n.lease_out, unbonding = n.unbonding
FROM newest n WHERE s.account = n.account AND n.height IS NOT NULL`;

const LOG_REVERTED = `
INSERT INTO ${tableName(tables.revertedUnit)} (id, height, sequence, parent, bytes, fees, payers, reverted_at)
SELECT u.id, u.height, u.sequence, u.parent, b.bytes, t.fees, t.payers, statement_timestamp()
FROM ${tableName(tables.unit)} u
JOIN ${tableName(tables.unitBody)} b ON b.height = u.height AND b.sequence = u.sequence AND b.height >= $1
LEFT JOIN LATERAL (
  SELECT array_agg(effective_fee ORDER BY position) AS fees, array_agg(a.text ORDER BY position) AS payers
  FROM ${tableName(tables.transaction)} t LEFT JOIN ${tableName(tables.account)} a ON a.id = t.sponsor
  WHERE t.height = u.height AND t.position >= u.first_position
    AND t.position < u.first_position + u.transaction_count) t ON true
WHERE u.height >= $1 AND (u.height, u.sequence) > ($1, $2)
ON CONFLICT DO NOTHING`;

const FIRST_POSITION = `
SELECT coalesce(max(first_position + transaction_count), 0)::integer AS position, count(*)::integer AS units
FROM ${tableName(tables.unit)} WHERE height = $1 AND sequence <= $2`;

/** Returns the recipients of associations after a position: their roles may have changed. @throws SqlError */
export async function associatedAfter(sql: SqlConnection, to: ChainCursor): Promise<Uint8Array[]> {
  const { rows } = await sql.query<{ address: Uint8Array }>(
    `SELECT address FROM ${tableName(tables.account)} WHERE id IN (
       SELECT recipient FROM ${tableName(tables.association)} WHERE ${fromPosition})`,
    [to.height, await firstPositionAfter(sql, to)],
    { deadlineMs: UNDO_TIMEOUT_MS },
  );
  return rows.map(({ address }) => address);
}

async function firstPositionAfter(sql: SqlConnection, { height, sequence }: ChainCursor): Promise<number> {
  const { rows } = await sql.query<{ position: number }>(FIRST_POSITION, [height, sequence]);
  return rows[0].position;
}

/**
 * Undoes the units after a position, within the caller's transaction.
 * @param writesStates false during a fill, which skips the table `account_state`
 * @returns the number of undone units
 * @throws SqlError
 */
export async function undoTo(sql: SqlConnection, to: ChainCursor, writesStates: boolean): Promise<number> {
  const position = await firstPositionAfter(sql, to);
  const options = { deadlineMs: UNDO_TIMEOUT_MS };
  const run = (text: string, values: readonly SqlValue[]): Promise<{ readonly count: number }> =>
    sql.query(text, values, options);
  const unitPlace = [to.height, to.sequence];
  const place = [to.height, position];
  const statements = [run(LOG_REVERTED, unitPlace)];
  if (writesStates) statements.push(run(UNDO_ACCOUNTS, unitPlace));
  for (const table of allTables) {
    for (const mark of table.marks ?? [])
      statements.push(
        run(
          `UPDATE ${tableName(table)} SET "${mark.height}" = NULL, "${mark.position}" = NULL
           WHERE "${mark.height}" >= $1 AND ("${mark.height}", "${mark.position}") >= ($1, $2)`,
          place,
        ),
      );
    if (table.kind.kind !== "fact") continue;
    if (table.kind.place === "height")
      statements.push(run(`DELETE FROM ${tableName(table)} WHERE height > $1`, [to.height]));
    else if (table.kind.place === "position")
      statements.push(run(`DELETE FROM ${tableName(table)} WHERE ${fromPosition}`, place));
    else statements.push(run(`DELETE FROM ${tableName(table)} WHERE ${afterSequence}`, unitPlace));
  }
  statements.push(
    run(
      `DELETE FROM ${tableName(tables.revertedUnit)} WHERE reverted_at < now() - make_interval(days => $1)`,
      [REVERTED_DAYS],
    ),
  );
  const [logged] = await Promise.all(statements);
  return logged.count;
}
