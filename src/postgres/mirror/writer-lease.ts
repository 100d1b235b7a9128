/** One mirror at a time may write. The others wait until the writer's lease ends. */
import type { SqlConnection } from "../connection/sql-connection.ts";
import { tables } from "../schema/all-tables.ts";
import { tableName } from "../schema/statements.ts";

/** By the clock of the database, s. */
const LEASE_SECONDS = 20;
/** A lease is renewed several times before it ends. */
export const RENEWAL_MS = 5_000;

const writer = tableName(tables.writer);
const chain = tableName(tables.chain);
const until = `clock_timestamp() + interval '${LEASE_SECONDS} seconds'`;

const ACQUIRE = `
INSERT INTO ${writer} AS w (holder, epoch, until)
VALUES ($1, (SELECT coalesce(max(epoch), 0) + 1 FROM ${chain}), ${until})
ON CONFLICT ((true)) DO UPDATE SET holder = $1, epoch = w.epoch + 1, until = ${until}
WHERE w.until < clock_timestamp() OR w.holder = $1
RETURNING epoch`;
const RENEW = `UPDATE ${writer} SET until = ${until} WHERE holder = $1 AND epoch = $2`;
const RELEASE = `UPDATE ${writer} SET until = clock_timestamp() WHERE holder = $1 AND epoch = $2`;

/**
 * Becomes the writer, unless another mirror's lease is in force.
 * @param holder name of this mirror, unique among all mirrors
 * @returns the new epoch, or the name of the other mirror
 * @throws SqlError
 */
export async function acquireLease(
  sql: SqlConnection,
  holder: string,
): Promise<{ readonly epoch: bigint } | { readonly holder: string }> {
  return sql.transaction(async () => {
    const { rows } = await sql.query<{ epoch: bigint }>(ACQUIRE, [holder]);
    if (rows.length > 0) {
      const [{ epoch }] = rows;
      // Waits for the former writer's transaction. The new epoch makes that writer's next transaction fail.
      await sql.query(`UPDATE ${chain} SET epoch = $1`, [epoch]);
      return { epoch };
    }
    const { rows: other } = await sql.query<{ holder: string }>(`SELECT holder FROM ${writer}`);
    return { holder: other[0]?.holder ?? "unknown" };
  });
}

/** Returns false if another mirror became the writer. @throws SqlError */
export async function renewLease(sql: SqlConnection, holder: string, epoch: bigint): Promise<boolean> {
  const { count } = await sql.query(RENEW, [holder, epoch]);
  return count > 0;
}

/** Lets another mirror take over at once. @throws SqlError */
export async function releaseLease(sql: SqlConnection, holder: string, epoch: bigint): Promise<void> {
  await sql.query(RELEASE, [holder, epoch]);
}
