/** Troubles of a primary that goes on running: refused writes, no free connections, and a full disk. */
import { join } from "node:path";
import type { SqlConnection } from "../../src/postgres/connection/sql-connection.ts";
import { SqlError } from "../../src/postgres/connection/sql-error.ts";
import { roles } from "../../src/postgres/schema/roles.ts";
import type { PostgresServer } from "../../src/postgres/testing/postgres-server.ts";
import { mayMount, SmallDisk } from "./small-disk.ts";

const DISK_MIB = 256;

export interface Trouble {
  readonly name: string;
  /** What the mirror says. */
  readonly reason: RegExp;
  /** @returns a function that ends the trouble */
  begin(primary: PostgresServer): Promise<() => Promise<void>>;
}

async function asAdmin<T>(primary: PostgresServer, work: (sql: SqlConnection) => Promise<T>): Promise<T> {
  const sql = await primary.connect(undefined, undefined, { deadlineMs: 60_000 });
  try {
    return await work(sql);
  } finally {
    await sql.close();
  }
}

async function setReadOnly(primary: PostgresServer): Promise<() => Promise<void>> {
  const set = (text: string): Promise<void> =>
    asAdmin(primary, async (sql) => {
      await sql.query("set default_transaction_read_only = off");
      await sql.query(text);
      await sql.query("select pg_reload_conf()");
    });
  await set("alter system set default_transaction_read_only = on");
  return () => set("alter system reset default_transaction_read_only");
}

/** Takes all connections that are not reserved for superusers, and those of mirror and gateways. */
async function takeConnections(primary: PostgresServer): Promise<() => Promise<void>> {
  const taken: SqlConnection[] = [];
  const takeAll = async (): Promise<void> => {
    try {
      for (;;) taken.push(await primary.connect(roles.reader));
    } catch (error) {
      if (!(error instanceof SqlError) || error.kind !== "too many connections") throw error;
    }
  };
  await takeAll();
  await asAdmin(primary, (sql) =>
    sql.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = any ($1)", [
      [roles.writer, roles.gateway],
    ]),
  );
  await takeAll();
  return async () => {
    for (const connection of taken) await connection.close();
  };
}

/** Moves the database to a small disk, and fills it. The log of the server (WAL) has space. */
async function fillDisk(primary: PostgresServer): Promise<() => Promise<void>> {
  const oid = await asAdmin(primary, async (sql) => {
    const { rows } = await sql.query<{ oid: string }>(
      "select oid::text as oid from pg_database where datname = current_database()",
    );
    return rows[0].oid;
  });
  await primary.kill();
  const disk = new SmallDisk(join(primary.directory, "data", "base", oid), DISK_MIB);
  try {
    await primary.resume();
  } catch (error) {
    await primary.kill();
    disk.unmount();
    throw error;
  }
  disk.fill();
  return async () => {
    disk.free();
    await primary.kill();
    disk.unmount();
    await primary.resume();
  };
}

export const troubles: readonly Trouble[] = [
  ...(mayMount ? [{ name: "full", reason: /No space left on device/, begin: fillDisk }] : []),
  { name: "read-only", reason: /in a read-only transaction/, begin: setReadOnly },
  {
    name: "out of connections",
    reason: /connection slots are reserved|too many clients/,
    begin: takeConnections,
  },
];
