import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlConnection, SqlRow } from "../connection/sql-connection.ts";
import { MirrorDatabase } from "../testing/mirror-database.ts";
import { MirroredChain } from "../testing/mirrored-chain.ts";
import { PostgresServer, postgresPrograms } from "../testing/postgres-server.ts";
import { dropSchemas, schemasToDrop } from "./drop.ts";
import { inspectSchema, requireMigrations, requireSchema } from "./inspect.ts";
import { migrate } from "./migrate.ts";
import { allViews } from "./views.ts";

/** Reports these values of a server, and rejects everything else. */
function fakeConnection(values: SqlRow): SqlConnection {
  const refuse = () => Promise.reject(new Error("must not be called"));
  const server = { version: "150000", encoding: "UTF8", formats: [], foreign_name: null, ...values };
  return {
    name: "db:5432/chain",
    lost: new AbortController().signal,
    query: async <R extends SqlRow>(text: string) => {
      if (!text.includes("server_version_num")) return refuse();
      return { rows: [server as SqlRow as R], count: 1 };
    },
    script: refuse,
    copyIn: refuse,
    transaction: refuse,
    listen: refuse,
    close: async () => undefined,
  };
}

test.each([
  ["old server", { version: "130012" }, "db:5432/chain runs PostgreSQL 13: 14 or newer is needed"],
  [
    "not UTF-8",
    { encoding: "LATIN1" },
    "The database db:5432/chain has the encoding LATIN1: create it with UTF8",
  ],
  [
    "newer format",
    { formats: ["holdfast_1", "holdfast_2"] },
    "The database db:5432/chain has tables of format 2; this program knows format 1: " +
      "use the program that wrote them, or drop that format",
  ],
  [
    "not ours",
    { foreign_name: "public.invoices" },
    "The database db:5432/chain is not empty: it contains public.invoices: use an empty database",
  ],
])("a migration refuses a database by name, before it writes: %s", async (refusal, values, message) => {
  await expect(migrate(fakeConnection(values), "test")).rejects.toMatchObject({ refusal, message });
});

describe.skipIf(postgresPrograms === undefined)(
  "a database on a server (scripts/install-postgres.sh)",
  () => {
    let server: PostgresServer;
    let sql: SqlConnection;
    const network = { name: "testnet", genesis: new Uint8Array(64).fill(1) };

    beforeAll(async () => {
      server = await PostgresServer.start();
      await server.createDatabase("chain");
      sql = await server.connect("postgres", "chain");
    }, 120_000);
    afterAll(async () => {
      await sql?.close();
      await server?.stop();
    });

    test("is refused if it is not empty, and nothing is written", async () => {
      await sql.query("create table notes (text text)");
      await expect(migrate(sql, "test")).rejects.toMatchObject({ refusal: "not ours" });
      const { rows } = await sql.query("select nspname from pg_namespace where nspname like 'holdfast%'");
      expect(rows).toEqual([]);
      await sql.query("drop table notes");
      expect(await inspectSchema(sql)).toEqual({ migrations: [], views: undefined });
    });

    test("is refused before its migration", async () => {
      await expect(requireSchema(sql)).rejects.toMatchObject({
        refusal: "not migrated",
        message: `The database ${sql.name} has no tables of format 1: run holdfast mirror migrate`,
      });
    });

    test("is migrated once by two programs at the same time", async () => {
      const other = await server.connect("postgres", "chain");
      const both = await Promise.all([migrate(sql, "one"), migrate(other, "two")]);
      expect(both.map(({ migrations }) => migrations.length).sort()).toEqual([0, 3]);
      await other.close();
      expect(await inspectSchema(sql)).toEqual({ migrations: ["1.0", "1.1", "1.2"], views: "1.0" });
    });

    test("is refused by a mirror that needs a later migration", async () => {
      await requireMigrations(sql);
      await sql.query("delete from holdfast_1.migration where name = '1.2'");
      await expect(requireMigrations(sql)).rejects.toMatchObject({
        refusal: "not migrated",
        message: `The database ${sql.name} lacks the migration 1.2: run holdfast mirror migrate`,
      });
      await migrate(sql, "test");
      await requireMigrations(sql);
    });

    test("is accepted for any network while it is empty, then only for its own", async () => {
      await requireSchema(sql, network);
      await sql.query(
        `insert into holdfast_1.chain values ('testnet', $1, 0, 0, '', 0, 0, 'filling', 'store', 1, 'test', now())`,
        [network.genesis],
      );
      await requireSchema(sql, network);
      const other = { name: "testnet", genesis: new Uint8Array(64).fill(2) };
      await expect(requireSchema(sql, other)).rejects.toMatchObject({ refusal: "another network" });
      await expect(requireSchema(sql, { ...network, name: "mainnet" })).rejects.toThrow(
        /^The database .* has the chain of testnet \(genesis 2.*\), not of mainnet \(genesis 2.*\): use another database$/,
      );
    });

    test("is refused if a newer program migrated it", async () => {
      await sql.query("update holdfast_1.format set views = '1.10'");
      for (const refused of [requireSchema(sql), migrate(sql, "test")])
        await expect(refused).rejects.toMatchObject({
          refusal: "newer format",
          message: `The database ${sql.name} has the schema 1.10; this program knows 1.0: upgrade this program`,
        });
      await sql.query("update holdfast_1.format set views = '1.0'");
      await sql.query("insert into holdfast_1.migration values ('9.9', '')");
      await expect(migrate(sql, "test")).rejects.toMatchObject({ refusal: "newer format" });
      await sql.query("delete from holdfast_1.migration where name = '9.9'");
    });

    test("keeps the views of an older format until the tables of the new one are live", async () => {
      await server.createDatabase("formats");
      const owner = await server.connect("postgres", "formats");
      const reader = await server.connect("holdfast_reader", "formats");
      const node = new MirroredChain(1);
      const mirrorOf = () => new MirrorDatabase(owner, node.mirrored);
      const shown = async () =>
        (await reader.query("select version, format, height::int from holdfast.contract, holdfast.tip")).rows;

      // A stand-in for an older format: its views have another column, another type, and another name.
      await migrate(owner, "old");
      node.growTo(7);
      const oldMirror = mirrorOf();
      await oldMirror.begin();
      await oldMirror.follow(1_000);
      await owner.script([
        "alter schema holdfast_1 rename to holdfast_0",
        "update holdfast_0.format set format = 0, views = '0.3'",
        "set role holdfast_owner",
        "drop view holdfast.tip, holdfast.sponsors",
        "create view holdfast.tip as select 'old' as name, height::bigint from holdfast_0.chain",
        "create view holdfast.former as select height from holdfast_0.chain",
        "grant select on holdfast.tip to holdfast_reader",
        "reset role",
        "create role analyst",
        "grant select on holdfast.tip, holdfast.former to analyst",
        "create table public.notes (text text)",
        "create view holdfast.report as select height from holdfast.tip",
      ]);
      const old = [{ version: "0.3", format: 0, height: 7 }];
      expect(await shown()).toEqual(old);
      expect(await migrate(owner, "new")).toMatchObject({
        migrations: ["1.0", "1.1", "1.2"],
        shownFormat: 0,
      });

      // The new tables are filled, while readers see the old ones.
      node.growTo(9);
      const mirror = mirrorOf();
      await mirror.begin();
      await mirror.follow(1_000);
      expect(await migrate(owner, "new")).toMatchObject({ migrations: [], shownFormat: 0 });
      expect(await shown()).toEqual(old);
      await expect(schemasToDrop(owner, 0)).rejects.toMatchObject({ refusal: "in use" });
      await mirror.live();
      expect(await shown()).toEqual(old);

      await expect(migrate(owner, "new")).rejects.toThrow(
        "holdfast.report reads the views of " +
          `${owner.name}, which a new major version replaces: drop it, repeat the command, and create it again`,
      );
      expect(await shown()).toEqual(old);
      await owner.query("drop view holdfast.report");
      const seen: unknown[] = [];
      let isSwapped = false;
      const reading = (async () => {
        while (!isSwapped) seen.push(...(await shown()));
      })();
      expect(await migrate(owner, "new")).toMatchObject({ shownFormat: 1 });
      isSwapped = true;
      await reading;
      const current = [{ version: "1.0", format: 1, height: 9 }];
      expect(await shown()).toEqual(current);
      // Readers saw one of both formats, and nothing between.
      const others = seen.filter((row) => ![...old, ...current].some((one) => isDeepStrictEqual(one, row)));
      expect(others).toEqual([]);
      expect(seen.length).toBeGreaterThan(0);
      for (const { name } of allViews) await reader.query(`select * from holdfast.${name}`);
      await reader.query("select * from holdfast.balance_at(5)");
      await expect(reader.query("select * from holdfast.former")).rejects.toMatchObject({ code: "42P01" });
      const { rows: granted } = await owner.query(
        "select table_name::text as view from information_schema.table_privileges where grantee = 'analyst'",
      );
      expect(granted).toEqual([{ view: "tip" }]);
      expect(await node.verify(owner)).toMatchObject({ outcome: "complete", faults: [] });

      const dropped = await schemasToDrop(owner, 0);
      expect(dropped.map(({ name }) => name)).toEqual(["holdfast_0"]);
      await dropSchemas(owner, dropped);
      expect(await shown()).toEqual(current);
      for (const connection of [reader, owner]) await connection.close();
    });
  },
);
