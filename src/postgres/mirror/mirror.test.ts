import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { SqlError } from "../connection/sql-error.ts";
import { migrate } from "../schema/migrate.ts";
import { lateIndexes, TABLES_SCHEMA } from "../schema/statements.ts";
import { MirroredChain, untilCurrent } from "../testing/mirrored-chain.ts";
import { mirroredRows } from "../testing/mirrored-tables.ts";
import { PostgresServer, postgresPrograms } from "../testing/postgres-server.ts";
import type { Mirror } from "./mirror.ts";

const open: Mirror[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((mirror) => mirror.stop()));
});

class Node extends MirroredChain {
  override mirror(...args: Parameters<MirroredChain["mirror"]>): Mirror {
    const mirror = super.mirror(...args);
    open.push(mirror);
    return mirror;
  }
}

describe.skipIf(postgresPrograms === undefined)("a mirror in PostgreSQL", { timeout: 120_000 }, () => {
  let server: PostgresServer;
  let databases = 0;
  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.createDatabase("migrated");
    const sql = await server.connect("postgres", "migrated");
    await migrate(sql, "test");
    await sql.close();
  }, 60_000);
  afterAll(() => server.stop());

  const emptyDatabase = async (): Promise<string> => {
    const name = `mirror_${databases++}`;
    await server.createDatabase(name);
    return name;
  };
  const migrated = async (): Promise<string> => {
    const name = `mirror_${databases++}`;
    await server.createDatabase(name, "migrated");
    return name;
  };
  const connectTo = (database: string) => () => server.connect("postgres", database);
  const rowsOf = async (database: string) => {
    const sql = await server.connect("postgres", database);
    try {
      return await mirroredRows(sql);
    } finally {
      await sql.close();
    }
  };
  const expectVerified = async (node: Node, database: string): Promise<void> => {
    const sql = await server.connect("postgres", database);
    expect(await node.verify(sql)).toMatchObject({ outcome: "complete", faults: [] });
    await sql.close();
  };
  /** The tables must equal those of a new mirror. */
  const expectTablesOfNewMirror = async (node: Node, database: string): Promise<void> => {
    const other = await migrated();
    const mirror = node.mirror(connectTo(other), "anew");
    await untilCurrent(mirror);
    await mirror.stop();
    expect(await rowsOf(database)).toEqual(await rowsOf(other));
  };

  test("waits for the tables, fills them, creates indexes, and follows commits and rollbacks", async () => {
    const node = new Node(1);
    node.growTo(20);
    const database = await emptyDatabase();
    const mirror = node.mirror(connectTo(database));
    await vi.waitUntil(() => mirror.info.problem?.includes("run holdfast mirror migrate"));
    const sql = await server.connect("postgres", database);
    await migrate(sql, "test");
    await untilCurrent(mirror);
    node.growTo(23);
    await untilCurrent(mirror);
    node.shrink();
    node.grow();
    await untilCurrent(mirror);
    expect(mirror.counts.undoneUnits).toBeGreaterThan(0);
    expect(mirror.info.problem).toBeUndefined();
    const { rows } = await sql.query(`select name, value from ${TABLES_SCHEMA}.setting order by name`);
    expect(rows.map(({ name }) => name)).toEqual(["network", "program", "settings", "store", "version"]);
    await sql.close();
    await expectTablesOfNewMirror(node, database);
  });

  test("a second mirror waits, and takes over when the first one stops", async () => {
    const node = new Node(3);
    const worse = new Node(4);
    node.growTo(10);
    worse.growTo(4);
    const database = await migrated();
    const first = node.mirror(connectTo(database), "first");
    await untilCurrent(first);
    const second = worse.mirror(connectTo(database), "second", "store two");
    await vi.waitUntil(() => second.info.problem === "another mirror writes: first", { timeout: 30_000 });
    await first.stop();
    await vi.waitUntil(() => second.info.isWriter, { timeout: 30_000 });
    // The second mirror's chain is worse, so it writes nothing.
    await vi.waitUntil(() => second.info.problem?.includes("behind the database or on a worse fork"));
    const before = await rowsOf(database);
    expect(before.get("block")).toHaveLength(10);
    worse.growTo(40);
    await untilCurrent(second);
    await expectTablesOfNewMirror(worse, database);
  });

  test("a commit whose answer is lost is not repeated", async () => {
    const node = new Node(5);
    node.growTo(6);
    const database = await migrated();
    let losing = 0;
    let partitions = 0;
    const connect = async (): Promise<SqlConnection> => {
      const sql = await server.connect("postgres", database);
      const query = sql.query.bind(sql) as SqlConnection["query"];
      const counted: SqlConnection["query"] = (...args) => {
        if (args[0].includes("ensure_partitions")) partitions++;
        return query(...args);
      };
      const commit = sql.transaction.bind(sql);
      const transaction = async <T>(work: () => Promise<T>): Promise<T> => {
        const result = await commit(work);
        if (losing > 0 && losing-- > 0) throw new SqlError("commit unknown", "no answer to COMMIT");
        return result;
      };
      return Object.assign(sql, { transaction, query: counted });
    };
    const mirror = node.mirror(connect);
    await untilCurrent(mirror);
    const { retries } = mirror.counts;
    losing = 1;
    node.growTo(8);
    await vi.waitUntil(() => mirror.counts.retries > retries, { timeout: 30_000 });
    node.growTo(9);
    await untilCurrent(mirror);
    // A server that lost commits may lack partitions.
    expect(partitions).toBe(2);
    await expectVerified(node, database);
  });

  test("waits while the disk of the server is full", async () => {
    const node = new Node(6);
    node.growTo(3);
    const database = await migrated();
    let isFull = false;
    const connect = async (): Promise<SqlConnection> => {
      const sql = await server.connect("postgres", database);
      const query = sql.query.bind(sql) as SqlConnection["query"];
      const failing: SqlConnection["query"] = (...args) =>
        isFull
          ? Promise.reject(new SqlError("disk full", "no space (53100)", { code: "53100" }))
          : query(...args);
      return Object.assign(sql, { query: failing });
    };
    const mirror = node.mirror(connect);
    await untilCurrent(mirror);
    isFull = true;
    node.growTo(5);
    await vi.waitUntil(() => mirror.info.problem === "no space (53100)", { timeout: 30_000 });
    isFull = false;
    await untilCurrent(mirror);
    await expectVerified(node, database);
  });

  test("creates the indexes with one connection if the server refuses another one", async () => {
    const node = new Node(8);
    node.growTo(8);
    const database = await migrated();
    let connections = 0;
    const mirror = node.mirror(async () => {
      // The first two are for writing and for the lease.
      if (++connections > 2) throw new SqlError("too many connections", "no connection (53300)");
      return server.connect("postgres", database);
    });
    await untilCurrent(mirror);
    expect(connections).toBe(3);
    expect(mirror.counts.retries).toBe(0);
    const { rows } = await server
      .connect("postgres", database)
      .then((sql) =>
        sql
          .query<{ name: string }>("select indexname::text as name from pg_indexes")
          .finally(() => sql.close()),
      );
    const names = new Set(rows.map(({ name }) => name));
    expect(lateIndexes.filter(({ name }) => !names.has(name))).toEqual([]);
  });

  test("a database whose units were deleted is not changed, and is reported", async () => {
    const node = new Node(8);
    node.growTo(6);
    const database = await migrated();
    const mirror = node.mirror(connectTo(database));
    await untilCurrent(mirror);
    await mirror.stop();
    const sql = await server.connect("postgres", database);
    await sql.query(`delete from ${TABLES_SCHEMA}.unit where height > 1`);
    await sql.query(`update ${TABLES_SCHEMA}.chain set id = ''`);
    const again = node.mirror(connectTo(database));
    await vi.waitUntil(() => again.info.problem?.includes("The database has no unit"), { timeout: 30_000 });
    expect(again.counts).toMatchObject({ commits: 0 });
    await sql.close();
  });

  test("the database of another network is refused by name", async () => {
    const node = new Node(7);
    const database = await migrated();
    const mirror = node.mirror(connectTo(database));
    await untilCurrent(mirror);
    await mirror.stop();
    const sql = await server.connect("postgres", database);
    await sql.query(`update ${TABLES_SCHEMA}.chain set network = 'other'`);
    await sql.close();
    const again = node.mirror(connectTo(database));
    await expect(again.run()).rejects.toThrow("has the chain of other");
  });
});
