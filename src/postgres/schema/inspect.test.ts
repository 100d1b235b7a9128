import { isDeepStrictEqual } from "node:util";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { SqlConnection, SqlRow } from "../connection/sql-connection.ts";
import { PostgresServer, postgresPrograms } from "../testing/postgres-server.ts";
import { dropSchemas, schemasToDrop } from "./drop.ts";
import { inspectSchema, requireSchema } from "./inspect.ts";
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
      expect(both.map(({ migrations }) => migrations.length).sort()).toEqual([0, 2]);
      await other.close();
      expect(await inspectSchema(sql)).toEqual({ migrations: ["1.0", "1.1"], views: "1.0" });
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
      const addChain = (height: number) =>
        owner.query(
          `insert into holdfast_1.chain values ('testnet', $1, $2, 0, '', 0, 0, 'filling', 'store', 1, 'test', now())`,
          [network.genesis, height],
        );
      const shown = async () =>
        (await reader.query("select height, format from holdfast.tip, holdfast.contract")).rows;
      // A stand-in for an older format, with the same tables.
      await migrate(owner, "old");
      await addChain(7);
      await owner.script([
        "alter schema holdfast_1 rename to holdfast_0",
        "update holdfast_0.format set format = 0",
      ]);
      const old = [{ height: 7, format: 0 }];
      expect(await shown()).toEqual(old);
      expect(await migrate(owner, "new")).toMatchObject({ migrations: ["1.0", "1.1"], shownFormat: 0 });
      await addChain(9);
      expect(await migrate(owner, "new")).toMatchObject({ migrations: [], shownFormat: 0 });
      expect(await shown()).toEqual(old);
      await expect(schemasToDrop(owner, 0)).rejects.toMatchObject({ refusal: "in use" });
      await requireSchema(owner, network);

      await owner.query("update holdfast_1.chain set state = 'live'");
      const seen: unknown[] = [];
      let isSwapped = false;
      const reading = (async () => {
        while (!isSwapped) seen.push(...(await shown()));
      })();
      expect(await migrate(owner, "new")).toMatchObject({ shownFormat: 1 });
      isSwapped = true;
      await reading;
      const current = [{ height: 9, format: 1 }];
      expect(await shown()).toEqual(current);
      // Readers saw one of both formats, and nothing between.
      const others = seen.filter((row) => ![...old, ...current].some((one) => isDeepStrictEqual(one, row)));
      expect(others).toEqual([]);
      expect(seen.length).toBeGreaterThan(0);
      for (const { name } of allViews) await reader.query(`select * from holdfast.${name}`);

      const dropped = await schemasToDrop(owner, 0);
      expect(dropped.map(({ name }) => name)).toEqual(["holdfast_0"]);
      await dropSchemas(owner, dropped);
      expect(await shown()).toEqual(current);
      for (const connection of [reader, owner]) await connection.close();
    });
  },
);
