import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chainReader } from "../../../chain/snapshot.ts";
import { readerContext } from "../../../node/composition.ts";
import { sourceDescription } from "../../../node/testing/follower-machine.ts";
import { migrate } from "../../../postgres/schema/migrate.ts";
import { PostgresServer, postgresPrograms } from "../../../postgres/testing/postgres-server.ts";
import { UnitMirror } from "../../../postgres/testing/unit-mirror.ts";
import { dev } from "../../../profiles/index.ts";
import { settingsOf } from "../../../testing/settings.ts";
import { ExitCode } from "../../exit-codes.ts";
import { idleIo, runCommand } from "../../testing/fake-node.ts";
import { offlineNode } from "../offline-node.ts";

const folder = mkdtempSync(join(tmpdir(), "holdfast-mirror-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const at = ["--network", "dev", "--data-dir", join(folder, "data")];

const mirror = (name: string, ...more: string[]) =>
  runCommand(["mirror", name, ...at, ...more], { environment: { PGPASSWORD: "hunter2" }, home: folder });

test.each([
  [["migrate"], "--to is missing: name the database, postgres://USER@HOST:PORT/DATABASE\n"],
  [
    ["migrate", "--to", "http://db/chain"],
    "Invalid PostgreSQL URL: use postgres://USER@HOST:PORT/DATABASE\n",
  ],
  [
    ["migrate", "--to", "postgres://db/chain"],
    "The PostgreSQL URL names no user: use postgres://USER@HOST:PORT/DATABASE\n",
  ],
  [
    ["drop", "--to", "postgres://owner@db:99999/chain"],
    "Invalid host or port in the PostgreSQL URL: use postgres://USER@HOST:PORT/DATABASE\n",
  ],
  [
    ["migrate", "--to", "postgres://owner@db/chain?sslmode=require"],
    "Invalid sslmode 'require' in the PostgreSQL URL: use verify-full, or disable in a network that you trust\n",
  ],
  [
    ["migrate", "--to", "postgres://owner@db/chain?sslrootcert=/nowhere/ca.pem"],
    "Cannot read /nowhere/ca.pem: ENOENT: no such file or directory, open '/nowhere/ca.pem'\n",
  ],
])("a wrong address is an error of usage: %s", async (args, message) => {
  const [name, ...more] = args;
  expect(await mirror(name, ...more)).toEqual({ code: ExitCode.usage, out: "", err: message });
});

test.each([
  "postgres://owner:hunter2@db/chain",
  "postgres://owner:hun/ter2@db/chain",
  "postgres://o:hunter2#@db",
])("a password in an address is refused and not repeated: %s", async (url) => {
  const { code, err } = await mirror("migrate", "--to", url);
  expect(code).toBe(ExitCode.usage);
  expect(err).toMatch(
    /^The PostgreSQL URL contains a password: remove it from the URL, and give it in PGPASSWORD or/,
  );
  expect(err).not.toMatch(/hun|ter2/);
});

test("a server that does not answer is an error of the database", async () => {
  const { code, err } = await mirror("migrate", "--to", "postgres://owner@127.0.0.1:1/chain");
  expect(code).toBe(ExitCode.database);
  expect(err).toBe("PostgreSQL at 127.0.0.1:1/chain: connect ECONNREFUSED 127.0.0.1:1\n");
});

test("gateway verify needs a database", async () => {
  const { code, err } = await runCommand(["gateway", "verify", ...at]);
  expect(code).toBe(ExitCode.usage);
  expect(err).toBe("A gateway needs a database: --from postgres://USER@HOST/DATABASE\n");
});

test("the mirror refuses a store of another format by name", async () => {
  const dataDir = join(folder, "format");
  const node = await offlineNode(settingsOf(dev, { dataDir }), idleIo(), { threads: 1 });
  await node.stop();
  const marker = join(dataDir, "chain", "holdfast-store.json");
  writeFileSync(marker, JSON.stringify({ ...JSON.parse(readFileSync(marker, "utf8")), format: 99 }));
  const { code, err } = await runCommand(
    ["mirror", "--to", "postgres://writer@127.0.0.1:1/chain", "--network", "dev", "--data-dir", dataDir],
    { home: folder },
  );
  expect(code).toBe(ExitCode.dataDirectory);
  expect(err).toMatch(/^The data directory .* has format 99, this version reads format \d+: /);
});

test("a plan needs a chain", async () => {
  const { code, err } = await mirror("plan");
  expect(code).toBe(ExitCode.dataDirectory);
  expect(err).toContain("no chain");
});

describe.skipIf(postgresPrograms === undefined)("with a server (scripts/install-postgres.sh)", () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.createDatabase("chain");
  }, 120_000);
  afterAll(() => server?.stop());

  test("tables are created, and dropped only after confirmation", async () => {
    const to = ["--to", server.url("postgres", "chain")];
    const name = `127.0.0.1:${server.port}/chain`;
    expect(await mirror("drop", ...to)).toEqual({ code: 0, out: `${name}: nothing to drop\n`, err: "" });
    expect(await mirror("migrate", ...to)).toEqual({
      code: 0,
      out: `${name}: views 1.0, migrations 1.0, 1.1, 1.2\n`,
      err: "",
    });
    expect(await mirror("migrate", ...to)).toEqual({
      code: 0,
      out: `${name}: views 1.0, no new migrations\n`,
      err: "",
    });
    const asked = await mirror("drop", ...to);
    expect(asked.code).toBe(ExitCode.failed);
    expect(asked.err).toMatch(
      /^This would drop holdfast \(.*\), holdfast_1 \(.*\) of .*\. Nothing was changed; --yes drops them\.\n$/,
    );
    const inUse = await mirror("drop", ...to, "--format", "1", "--yes");
    expect(inUse).toMatchObject({
      code: ExitCode.database,
      err: `The views of ${name} read the tables of format 1: leave out --format to drop the views too\n`,
    });
    expect(await mirror("drop", ...to, "--yes")).toMatchObject({ code: 0, err: "" });
    expect(await mirror("drop", ...to)).toMatchObject({ out: `${name}: nothing to drop\n` });
  });

  test("a wrong role or database is an error without a secret", async () => {
    const { port } = server;
    const password = join(folder, "password");
    writeFileSync(password, "hunter2\n", { mode: 0o600 });
    for (const [url, message] of [
      [
        server.url("nobody", "chain"),
        'role "nobody" does not exist: check user, password and pg_hba.conf of the server',
      ],
      [
        server.url("postgres", "other"),
        'database "other" does not exist: create the database, or correct the URL',
      ],
    ]) {
      const { code, err } = await mirror("migrate", "--to", url, "--mirror-password-file", password);
      expect(code).toBe(ExitCode.database);
      expect(err).toBe(`PostgreSQL at 127.0.0.1:${port}/${url.split("/").at(-1)}: ${message}\n`);
    }
  });

  test("gateway verify compares a folder with a database, and names what differs", async () => {
    await server.createDatabase("units");
    const dataDir = join(folder, "gateway");
    const node = await offlineNode(settingsOf(dev, { dataDir }), idleIo(), { threads: 1 });
    const { settings, chain, trust, environment } = node;
    const sql = await server.connect("postgres", "units");
    try {
      await migrate(sql, "test");
      const reader = chainReader(environment.store, readerContext(settings, chain.rules, trust));
      await new UnitMirror(sql, reader, sourceDescription(node)).sync();
      await node.stop();
      const verify = (database = "units") =>
        runCommand(
          [
            ...["gateway", "verify", "--data-dir", dataDir],
            ...["--from", server.url("holdfast_gateway", database)],
          ],
          { home: folder },
        );
      const positions = `127.0.0.1:${server.port}/units: newest common unit 1.0, gateway 1.0, database 1.0\n`;
      expect(await verify()).toEqual({
        code: 0,
        out: `${positions}No differences: 1 unit, 1 digest.\n`,
        err: "",
      });
      await sql.query("update holdfast_1.unit set digest = sha256('1')");
      expect(await verify()).toMatchObject({
        code: ExitCode.failed,
        out: `unit 1.0: its digests differ\n${positions}`,
      });
      await sql.query("delete from holdfast_1.unit_body");
      expect(await verify()).toMatchObject({
        code: ExitCode.failed,
        err: `The database 127.0.0.1:${server.port}/units, unit 1.0: its bytes are missing\n`,
      });
      expect(await verify("chain")).toMatchObject({ code: ExitCode.database });
    } finally {
      await sql.close();
      await node.stop();
    }
  });
});
