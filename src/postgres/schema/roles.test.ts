import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { PostgresServer, postgresPrograms } from "../testing/postgres-server.ts";
import { allTables } from "./all-tables.ts";
import { migrate } from "./migrate.ts";
import { roles } from "./roles.ts";
import { tableName } from "./statements.ts";
import { allViews } from "./views.ts";

const tables = allTables.map(tableName);
const views = allViews.map(({ name }) => `holdfast.${name}`);
const gatewayTables = ["chain", "setting", "writer", "unit", "unit_body", "reverted_unit"].map(
  (name) => `holdfast_1."${name}"`,
);

describe.skipIf(postgresPrograms === undefined)("roles on a server (scripts/install-postgres.sh)", () => {
  let server: PostgresServer;
  const open: SqlConnection[] = [];

  async function as(role: string): Promise<SqlConnection> {
    const sql = await server.connect(role, "chain");
    open.push(sql);
    return sql;
  }

  /** Returns the relations for which a statement is allowed. */
  async function allowed(sql: SqlConnection, names: readonly string[], text: (name: string) => string) {
    const found: string[] = [];
    for (const name of names) {
      const code = await sql.query(text(name)).then(
        () => undefined,
        (error: { code?: string }) => error.code,
      );
      if (code !== "42501" && code !== "25006") found.push(name);
    }
    return found;
  }

  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.createDatabase("chain");
    await migrate(await as("postgres"), "test");
  }, 120_000);
  afterAll(async () => {
    for (const sql of open) await sql.close();
    await server?.stop();
  });

  test("the owner migrates again, and owns everything", async () => {
    const owner = await as(roles.owner);
    expect(await migrate(owner, "test")).toMatchObject({ migrations: [] });
    const { rows } = await owner.query(
      `select distinct pg_get_userbyid(c.relowner)::text as owner from pg_class c
       where c.relnamespace in ('holdfast'::regnamespace, 'holdfast_1'::regnamespace)`,
    );
    expect(rows).toEqual([{ owner: roles.owner }]);
  });

  test("the writer writes all tables, calls its functions, and creates nothing", async () => {
    const writer = await as(roles.writer);
    expect(await allowed(writer, tables, (name) => `select * from ${name}`)).toEqual(tables);
    expect(await allowed(writer, tables, (name) => `delete from ${name}`)).toEqual(tables);
    expect(await allowed(writer, tables, (name) => `insert into ${name} select * from ${name}`)).toEqual(
      tables,
    );
    const partitions = await writer.query("select holdfast_1.ensure_partitions(1500000) as created");
    expect(partitions.rows).toEqual([{ created: allTables.filter((one) => one.isPartitioned).length }]);
    await writer.query("select holdfast_1.create_late_index('anchor_key')");
    await writer.query("select holdfast_1.analyze_table('anchor')");
    for (const text of [
      "create table holdfast_1.x (y integer)",
      "create table public.x (y integer)",
      "create temporary table x (y integer)",
      "create schema x",
      "drop table holdfast_1.anchor",
      "alter table holdfast_1.anchor add column x integer",
      "update holdfast_1.format set format = 2",
      "update holdfast_1.late_index set statement = 'select 1'",
      "delete from holdfast_1.migration",
    ])
      await expect(writer.query(text), text).rejects.toMatchObject({ code: "42501" });
  });

  test("the gateway reads the units, and nothing else", async () => {
    const gateway = await as(roles.gateway);
    expect((await allowed(gateway, tables, (name) => `select * from ${name}`)).sort()).toEqual(
      gatewayTables.toSorted(),
    );
    expect(await allowed(gateway, views, (name) => `select * from ${name}`)).toEqual([]);
    expect(await allowed(gateway, tables, (name) => `delete from ${name}`)).toEqual([]);
    await gateway.listen("holdfast", () => undefined);
    await expect(gateway.query("select holdfast_1.drop_late_indexes()")).rejects.toMatchObject({
      code: "42501",
    });
  });

  test("the reader reads the views, and nothing else, with a time limit", async () => {
    const reader = await as(roles.reader);
    expect(await allowed(reader, views, (name) => `select * from ${name}`)).toEqual(views);
    expect(await allowed(reader, tables, (name) => `select * from ${name}`)).toEqual([]);
    expect(await allowed(reader, tables, (name) => `delete from ${name}`)).toEqual([]);
    await reader.query("select * from transaction_by_id('\\x00')");
    await reader.query("select * from balance_at(1)");
    const { rows } = await reader.query(
      "select current_setting('statement_timeout') as timeout, current_setting('transaction_read_only') as reads",
    );
    expect(rows).toEqual([{ timeout: "1min", reads: "on" }]);
    // The role has no rights either, if it turns the setting off.
    await reader.query("set default_transaction_read_only = off");
    for (const text of ["create temporary table x (y integer)", "create table public.x (y integer)"])
      await expect(reader.query(text), text).rejects.toMatchObject({ code: "42501" });
  });

  test("a login without rights is told what an administrator must run", async () => {
    const admin = await as("postgres");
    await admin.query("create role plain login");
    await admin.query("create database other");
    const plain = await server.connect("plain", "other");
    open.push(plain);
    await expect(migrate(plain, "test")).rejects.toThrow(
      "The role plain may not prepare the database other: let an administrator run: " +
        'grant connect, create, temporary on database "other" to holdfast_owner; ' +
        'grant holdfast_owner to "plain"; revoke temporary on database "other" from public',
    );
    const { rows } = await plain.query("select nspname from pg_namespace where nspname like 'holdfast%'");
    expect(rows).toEqual([]);
  });
});
