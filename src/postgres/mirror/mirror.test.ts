import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from "vitest";
import { chainReader } from "../../chain/snapshot.ts";
import { RandomChain } from "../../chain/testing/random-chain.ts";
import { systemClock } from "../../runtime/system.ts";
import { RecordingLog } from "../../testing/dev-node.ts";
import { trustOfSpenders } from "../../testing/random-transactions.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import type { SqlConnection } from "../connection/sql-connection.ts";
import { SqlError } from "../connection/sql-error.ts";
import { migrate } from "../schema/migrate.ts";
import { TABLES_SCHEMA } from "../schema/statements.ts";
import { testDescription } from "../testing/mirror-database.ts";
import { mirroredRows } from "../testing/mirrored-tables.ts";
import { PostgresServer, postgresPrograms } from "../testing/postgres-server.ts";
import { Mirror } from "./mirror.ts";

class Node extends RandomChain {
  readonly log = new RecordingLog();

  constructor(seed: number) {
    super(new SeededRandom(seed));
  }

  mirror(connect: () => Promise<SqlConnection>, holder = "one", store = "store one"): Mirror {
    const { profile } = this;
    const context = {
      profile,
      rules: this.chain.rules,
      indexAll: true,
      trust: trustOfSpenders(profile.chainId),
    };
    const mirror = new Mirror({
      connect,
      reader: chainReader(this.store, context),
      network: profile,
      description: { ...testDescription, store },
      clock: systemClock,
      log: this.log,
      holder,
      forkDepth: 5,
    });
    open.push(mirror);
    mirror.run().catch(() => {});
    return mirror;
  }

  growTo(height: number): void {
    while (this.chain.tip.height < height) this.grow();
  }
}

const open: Mirror[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((mirror) => mirror.stop()));
});

const isCurrent = ({ info: { state, lagUnits, isWriter } }: Mirror): boolean =>
  isWriter && state === "live" && lagUnits === 0;
const untilCurrent = (mirror: Mirror): Promise<unknown> =>
  vi.waitUntil(() => isCurrent(mirror), { timeout: 60_000, interval: 20 });

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

  test("continues after the server was killed, and reports meanwhile that it waits", async () => {
    const node = new Node(2);
    node.growTo(12);
    const database = await migrated();
    const mirror = node.mirror(connectTo(database));
    await untilCurrent(mirror);
    await server.kill("SIGKILL");
    node.growTo(14);
    await vi.waitUntil(() => mirror.info.problem !== undefined, { timeout: 30_000 });
    expect(mirror.info.isWriter).toBe(false);
    await server.resume();
    await untilCurrent(mirror);
    expect(mirror.info.problem).toBeUndefined();
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
    const connect = async (): Promise<SqlConnection> => {
      const sql = await server.connect("postgres", database);
      const transaction = async <T>(work: () => Promise<T>): Promise<T> => {
        const result = await sql.transaction(work);
        if (losing > 0 && losing-- > 0) throw new SqlError("commit unknown", "no answer to COMMIT");
        return result;
      };
      return Object.assign(Object.create(sql) as SqlConnection, {
        transaction,
        query: sql.query.bind(sql),
        copyIn: sql.copyIn.bind(sql),
        close: sql.close.bind(sql),
        name: sql.name,
      });
    };
    const mirror = node.mirror(connect);
    await untilCurrent(mirror);
    const { retries } = mirror.counts;
    losing = 1;
    node.growTo(8);
    await vi.waitUntil(() => mirror.counts.retries > retries, { timeout: 30_000 });
    await untilCurrent(mirror);
    await expectTablesOfNewMirror(node, database);
  });

  test.each([
    ["25006", "read-only"],
    ["53100", "disk full"],
    ["53300", "too many connections"],
  ] as const)("waits while the server answers %s (%s)", async (code, kind) => {
    const node = new Node(6);
    node.growTo(3);
    const database = await migrated();
    let isFailing = false;
    const connect = async (): Promise<SqlConnection> => {
      const sql = await server.connect("postgres", database);
      return Object.assign(Object.create(sql) as SqlConnection, {
        query: (...args: Parameters<SqlConnection["query"]>) =>
          isFailing ? Promise.reject(new SqlError(kind, `${kind} (${code})`, { code })) : sql.query(...args),
        transaction: <T>(work: () => Promise<T>) => sql.transaction(work),
        copyIn: sql.copyIn.bind(sql),
        close: sql.close.bind(sql),
        name: sql.name,
      });
    };
    const mirror = node.mirror(connect);
    await untilCurrent(mirror);
    isFailing = true;
    node.growTo(5);
    await vi.waitUntil(() => mirror.info.problem === `${kind} (${code})`, { timeout: 30_000 });
    isFailing = false;
    await untilCurrent(mirror);
    await expectTablesOfNewMirror(node, database);
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
