/** Writes a batch and the new position in one transaction. */

import { bytesKey } from "../../bytes/compare.ts";
import type { BoundedCache } from "../../collections/bounded-cache.ts";
import type { ChainCursor } from "../../interfaces.ts";
import { isSameUnit } from "../../units/same-unit.ts";
import type { SqlConnection, SqlOptions } from "../connection/sql-connection.ts";
import { tables } from "../schema/all-tables.ts";
import { PARTITION_BLOCKS, PARTITIONS_AHEAD, TABLES_SCHEMA, tableName } from "../schema/statements.ts";
import type { AccountIds } from "./account-ids.ts";
import { AddressList } from "./address-list.ts";
import { arrayParameters, insertStatement, unnest } from "./array-literals.ts";
import type { Batch } from "./batch.ts";
import { CopyEncoder } from "./copy-format.ts";
import { type AccountIdOf, type AnyRow, separateTables, type TargetTable } from "./table-rows.ts";
import { UNDO_TIMEOUT_MS, undoTo } from "./undo.ts";

/** With more rows, COPY is faster. With fewer, arrays are, because their statements need no answer before the next. */
const MAX_ARRAY_ROWS = 2_000;
const CHUNK_BYTES = 2 ** 20;
const FILL_TIMEOUT_MS = 60_000;
/** Channel of notifications, which have no content. */
const CHANNEL = "holdfast";

export type MirrorState =
  /** Copies the chain into tables without most indexes. */
  | "filling"
  /** Creates the indexes. */
  | "indexing"
  /** Follows each commit of the node. */
  | "live";

/** The database has another position than the mirror expects: another mirror writes, or commits were lost. */
export class OutdatedPositionError extends Error {
  override readonly name = "OutdatedPositionError";
}

interface ApplyOptions {
  readonly sql: SqlConnection;
  readonly ids: AccountIds;
  /** Addresses whose keys are in the database, by `bytesKey`. */
  readonly storedKeys: Pick<BoundedCache<true>, "has" | "set" | "clear">;
  readonly epoch: bigint;
  /** Id of the node's store. */
  readonly source: string;
  readonly program: string;
  /** State after the batch. */
  readonly state: MirrorState;
}

const chain = tableName(tables.chain);
const lockChain = `SELECT epoch, height, sequence, id FROM ${chain} FOR UPDATE`;
const updateChain = `
UPDATE ${chain} SET height = $1, sequence = $2, id = $3, persisted_height = $4, score = $5, state = $6, source = $7,
  program = $8, changed_at = clock_timestamp()`;

const { accountState, accountChange, lease } = tables;

/**
 * Writes a batch if the database is still at `batch.from`.
 * @returns the number of undone units
 * @throws OutdatedPositionError, SqlError
 */
export async function applyBatch(batch: Batch, options: ApplyOptions): Promise<number> {
  const { sql, epoch, ids, storedKeys, state, source, program } = options;
  const newKeys: string[] = [];
  const { undone, cacheIds } = await sql.transaction(async () => {
    // A fill skips the table `account_state`, which `goLive` fills.
    const writesStates = state !== "filling";
    // If a crash loses commits of a fill, the mirror writes them again.
    const asyncCommit = writesStates ? undefined : sql.query("SET LOCAL synchronous_commit = off");
    await Promise.all([asyncCommit, lockPosition(sql, epoch, batch.from)]);
    const { rows, effects, next } = batch;
    const { idOf, cacheIds } = await ids.resolve(sql, rows, effects.associated);
    const undone = batch.undoTo === undefined ? 0 : await undoTo(sql, batch.undoTo, writesStates);
    const insert = inserter(sql, idOf, writesStates ? {} : { deadlineMs: FILL_TIMEOUT_MS });
    await insert(tables.account, rows.of(tables.account));
    const deleted = sql.query(`DELETE FROM ${tableName(tables.block)} WHERE height >= $1`, [
      batch.firstBlock,
    ]);
    const pending: Promise<unknown>[] = [deleted];
    for (const { table, bytes } of rows.encoded(idOf)) {
      // No other statement may be sent during COPY.
      await Promise.all(pending.splice(0));
      await copyRows(sql, table, bytes);
    }
    for (const { table, rows: newRows } of rows.tables)
      if (!separateTables.has(table.name)) {
        if (newRows.length <= MAX_ARRAY_ROWS) pending.push(insert(table, newRows));
        else {
          await Promise.all(pending.splice(0));
          await insert(table, newRows);
        }
      }
    const keys = missingKeys(rows.of(tables.accountKey), storedKeys, batch.undoTo !== undefined, newKeys);
    pending.push(insert(tables.accountKey, keys, "ON CONFLICT DO NOTHING"));
    pending.push(writeRoles(sql, effects.associated, rows.of(tables.role), idOf, insert));
    pending.push(markCancelledLeases(sql, effects.cancelledLeases));
    if (writesStates) pending.push(insert(accountState, newestChanges(rows.of(accountChange)), UPSERT_STATE));
    pending.push(
      sql.query(updateChain, [
        next.height,
        next.sequence,
        next.id,
        batch.persistedHeight,
        batch.score.toString(),
        state,
        source,
        program,
      ]),
      sql.query(`NOTIFY ${CHANNEL}`),
    );
    await Promise.all(pending);
    return { undone, cacheIds };
  });
  cacheIds();
  if (batch.undoTo !== undefined) storedKeys.clear();
  for (const key of newKeys) storedKeys.set(key, true);
  return undone;
}

/** @throws OutdatedPositionError */
async function lockPosition(sql: SqlConnection, epoch: bigint, from: ChainCursor): Promise<void> {
  const { rows } = await sql.query<{ epoch: bigint } & ChainCursor & Record<string, unknown>>(lockChain);
  const [found] = rows;
  if (found === undefined) throw new OutdatedPositionError("The database has no position");
  if (found.epoch !== epoch) throw new OutdatedPositionError("Another mirror became the writer");
  if (!isSameUnit(found, from))
    throw new OutdatedPositionError(`The database is at ${found.height}.${found.sequence}`);
}

type Insert = (table: TargetTable, rows: readonly AnyRow[], suffix?: string) => Promise<void>;

function inserter(sql: SqlConnection, idOf: AccountIdOf, options: SqlOptions): Insert {
  return async (table, rows, suffix = "") => {
    if (rows.length === 0) return;
    const name = tableName(table);
    const { columns } = table;
    if (rows.length > MAX_ARRAY_ROWS && suffix === "" && !separateTables.has(table.name)) {
      const list = new AddressList();
      const encoder = new CopyEncoder(columns, list);
      for (const row of rows) encoder.add(row);
      await copyRows(sql, table, encoder.finish(list.addresses.map(idOf)));
      return;
    }
    for (let at = 0; at < rows.length; at += MAX_ARRAY_ROWS)
      await sql.query(
        insertStatement(name, columns, suffix),
        arrayParameters(columns, rows.slice(at, at + MAX_ARRAY_ROWS), idOf),
        { ...options, name: `insert ${table.name}` },
      );
  };
}

async function copyRows(
  sql: SqlConnection,
  { name, columns }: TargetTable,
  bytes: Uint8Array,
): Promise<void> {
  const names = Object.keys(columns).map((column) => `"${column}"`);
  await sql.copyIn(`${tableName({ name })} (${names.join(", ")})`, chunksOf(bytes), {
    deadlineMs: FILL_TIMEOUT_MS,
  });
}

function* chunksOf(bytes: Uint8Array): Generator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += CHUNK_BYTES) yield bytes.subarray(at, at + CHUNK_BYTES);
}

/** Returns the keys that may be missing from the database. Adds their accounts to `newKeys`. */
function missingKeys(
  rows: readonly AnyRow[],
  storedKeys: ApplyOptions["storedKeys"],
  hasUndone: boolean,
  newKeys: string[],
): readonly AnyRow[] {
  return rows.filter(({ account }) => {
    const key = bytesKey(account as Uint8Array);
    // Undoing may have removed a key.
    const isMissing = hasUndone || !storedKeys.has(key);
    if (isMissing) newKeys.push(key);
    return isMissing;
  });
}

const UPSERT_STATE = `ON CONFLICT (account) DO UPDATE SET height = excluded.height, sequence = excluded.sequence,
  balance = excluded.balance, lease_in = excluded.lease_in, lease_out = excluded.lease_out,
  unbonding = excluded.unbonding`;

/** Returns the last change of each account. @param rows oldest first */
function newestChanges(rows: readonly AnyRow[]): readonly AnyRow[] {
  const newest = new Map<string, AnyRow>();
  for (const row of rows) newest.set(bytesKey(row.account as Uint8Array), row);
  return [...newest.values()];
}

async function writeRoles(
  sql: SqlConnection,
  associated: readonly Uint8Array[],
  roles: readonly AnyRow[],
  idOf: AccountIdOf,
  insert: Insert,
): Promise<void> {
  if (associated.length === 0) return;
  const removed = sql.query(`DELETE FROM ${tableName(tables.role)} WHERE account = ANY($1::text::bigint[])`, [
    `{${associated.map((address) => idOf(address)).join()}}`,
  ]);
  await Promise.all([removed, insert(tables.role, roles)]);
}

const leaseMarks = {
  id: lease.columns.id,
  height: lease.columns.height,
  position: lease.columns.position,
} as const;
const MARK_LEASES = `
UPDATE ${tableName(lease)} l SET cancelled_height = r.height, cancelled_position = r.position
FROM ${unnest(leaseMarks)} WHERE l.id = r.id AND l.cancelled_height IS NULL`;

async function markCancelledLeases(sql: SqlConnection, cancelled: readonly AnyRow[]): Promise<void> {
  for (let at = 0; at < cancelled.length; at += MAX_ARRAY_ROWS)
    await sql.query(
      MARK_LEASES,
      arrayParameters(leaseMarks, cancelled.slice(at, at + MAX_ARRAY_ROWS), () => 0n),
      // Unnamed, because the server would keep a plan for a small table.
      { deadlineMs: UNDO_TIMEOUT_MS },
    );
}

/** Creates partitions before batches need them. */
export class Partitions {
  #last = -1;

  /** @throws SqlError */
  async ensure(sql: SqlConnection, height: number): Promise<void> {
    const last = Math.floor((height + PARTITIONS_AHEAD) / PARTITION_BLOCKS);
    if (last <= this.#last) return;
    await sql.query(`SELECT ${TABLES_SCHEMA}.ensure_partitions($1)`, [height + PARTITIONS_AHEAD], {
      deadlineMs: FILL_TIMEOUT_MS,
    });
    this.#last = last;
  }
}
