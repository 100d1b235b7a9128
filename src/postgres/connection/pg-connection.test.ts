import { execFileSync } from "node:child_process";
import { appendFileSync, chownSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { systemClock } from "../../runtime/system.ts";
import { PostgresServer, postgresPrograms } from "../testing/postgres-server.ts";
import { connectPostgres } from "./pg-connection.ts";
import { parsePostgresUrl } from "./postgres-url.ts";
import type { SqlConnection } from "./sql-connection.ts";

test("a server that accepts connections and never answers is abandoned after the deadline", async () => {
  const silent = createServer((socket) => socket.resume());
  await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
  const { port } = silent.address() as AddressInfo;
  const target = parsePostgresUrl(`postgres://user@127.0.0.1:${port}/chain`);
  const connected = connectPostgres(target, { clock: systemClock, applicationName: "test", deadlineMs: 200 });
  await expect(connected).rejects.toMatchObject({
    kind: "timeout",
    message: `PostgreSQL at 127.0.0.1:${port}/chain: no answer within 200 ms`,
  });
  await new Promise((resolve) => silent.close(resolve));
});

test("a server that sends invalid messages is given up, and the process continues", async () => {
  // A row of two columns, of which the first claims more bytes than the message has.
  const row = Buffer.from("4400000014000264666611aaaaaaaaaaaaaaaaaaaa", "hex");
  const broken = createServer((socket) => socket.on("error", () => {}).once("data", () => socket.write(row)));
  await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
  const { port } = broken.address() as AddressInfo;
  const target = parsePostgresUrl(`postgres://user@127.0.0.1:${port}/chain`);
  await expect(
    connectPostgres(target, { clock: systemClock, applicationName: "test" }),
  ).rejects.toMatchObject({
    kind: "unreachable",
    message: expect.stringContaining(`PostgreSQL at 127.0.0.1:${port}/chain sent an invalid message: `),
  });
  await new Promise((resolve) => broken.close(resolve));
});

test("if no host accepts, the error has the reasons of all", async () => {
  const target = parsePostgresUrl("postgres://user@127.0.0.1:1,127.0.0.1:2/chain");
  await expect(
    connectPostgres(target, { clock: systemClock, applicationName: "test" }),
  ).rejects.toMatchObject({
    kind: "unreachable",
    message: [1, 2]
      .map((port) => `PostgreSQL at 127.0.0.1:${port}/chain: connect ECONNREFUSED 127.0.0.1:${port}`)
      .join("; "),
  });
});

describe.skipIf(postgresPrograms === undefined)(
  "a connection to PostgreSQL (scripts/install-postgres.sh)",
  () => {
    let server: PostgresServer;
    let sql: SqlConnection;
    beforeAll(async () => {
      server = await PostgresServer.start();
      sql = await server.connect();
    }, 120_000);
    afterAll(async () => {
      await sql?.close();
      await server?.stop();
    });

    test("returns values without losing digits", async () => {
      const { rows, count } = await sql.query(
        `select 9223372036854775807::bigint as a, sum(x) as b, '\\x00ff'::bytea as c, null as d,
         timestamptz '2026-01-02 03:04:05.678Z' as e, array[1, 2]::smallint[] as f, '{"g": [1]}'::jsonb as g
       from unnest($1::bigint[]) as x`,
        [[2n ** 63n - 1n, 2n ** 63n - 1n]],
      );
      expect(count).toBe(1);
      expect(rows).toEqual([
        {
          a: 2n ** 63n - 1n,
          b: 2n ** 64n - 2n,
          c: Uint8Array.of(0, 255),
          d: null,
          e: new Date("2026-01-02T03:04:05.678Z"),
          f: [1, 2],
          g: { g: [1] },
        },
      ]);
    });

    test("sends several statements before the first is answered, and keeps their order", async () => {
      const all = await Promise.all([1, 2, 3].map((n) => sql.query("select $1::int as n", [n])));
      expect(all.map(({ rows }) => rows[0]?.n)).toEqual([1, 2, 3]);
    });

    test("copies rows between other statements", async () => {
      await sql.query("create table copied (n integer)");
      const header = Buffer.concat([Buffer.from("PGCOPY\n\xff\r\n\0", "latin1"), Buffer.alloc(8)]);
      const row = Buffer.from([0, 1, 0, 0, 0, 4, 0, 0, 0, 7]);
      const before = sql.query("select 1");
      const copied = sql.copyIn("copied (n)", [header, row, row, Buffer.from([0xff, 0xff])]);
      expect(await copied).toBe(2);
      await before;
      expect((await sql.query("select sum(n)::int as sum from copied")).rows).toEqual([{ sum: 14 }]);
    });

    test("rolls back if the work fails, and goes on", async () => {
      await sql.query("create table kept (n integer)");
      await expect(
        sql.transaction(async () => {
          await sql.query("insert into kept values (1)");
          await sql.query("insert into missing values (1)");
        }),
      ).rejects.toMatchObject({ kind: "statement", code: "42P01" });
      await sql.transaction(() => sql.query("insert into kept values (2)"));
      expect((await sql.query("select n from kept")).rows).toEqual([{ n: 2 }]);
    });

    test("refuses a broken copy and goes on", async () => {
      await expect(sql.copyIn("kept (n)", [Buffer.from("nonsense")])).rejects.toMatchObject({
        code: "22P04",
      });
      expect((await sql.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
    });

    test("is lost after a missed deadline", async () => {
      const other = await server.connect();
      const slow = other.query("select pg_sleep(60)", [], { deadlineMs: 50 });
      const queued = other.query("select 1");
      await expect(slow).rejects.toMatchObject({ kind: "timeout" });
      await expect(queued).rejects.toMatchObject({ kind: "timeout" });
      expect(other.lost.aborted).toBe(true);
      await expect(other.query("select 1")).rejects.toMatchObject({ kind: "timeout" });
      await other.close();
    });

    test("is lost when the server ends it", async () => {
      const other = await server.connect();
      const { rows } = await other.query<{ pid: number }>("select pg_backend_pid() as pid");
      const lost = new Promise((resolve) => other.lost.addEventListener("abort", resolve));
      await sql.query("select pg_terminate_backend($1)", [rows[0]?.pid ?? 0]);
      await lost;
      await expect(other.query("select 1")).rejects.toMatchObject({ kind: "unreachable" });
      await other.close();
    });

    test("does not say whether a lost commit took place", async () => {
      const other = await server.connect();
      const { rows } = await other.query<{ pid: number }>("select pg_backend_pid() as pid");
      await sql.query("create table committed (n integer unique deferrable initially deferred)");
      await sql.query("insert into committed values (1)");
      // COMMIT waits for the row of the other transaction.
      await sql.query("begin");
      await sql.query("delete from committed");
      const failed = other.transaction(() => other.query("insert into committed values (1)"));
      const ended = expect(failed).rejects.toMatchObject({ kind: "commit unknown" });
      await expect
        .poll(async () => {
          const third = await server.connect();
          const { rows: found } = await third.query(
            "select wait_event_type as waits from pg_stat_activity where pid = $1 and query = 'COMMIT'",
            [rows[0]?.pid ?? 0],
          );
          await third.close();
          return found;
        })
        .toEqual([{ waits: "Lock" }]);
      await sql.query("select pg_terminate_backend($1)", [rows[0]?.pid ?? 0]);
      await ended;
      await sql.query("rollback");
    });

    test("receives notifications", async () => {
      const heard = new Promise<void>((resolve) => void sql.listen("holdfast", resolve));
      const other = await server.connect();
      await other.query("notify holdfast");
      await heard;
      await other.close();
    });

    test("refuses a wrong password and a certificate that it cannot check, and repeats no secret", async () => {
      const folder = mkdtempSync(join(tmpdir(), "holdfast-certificate-"));
      const certificate = (name: string): string => {
        const [key, file] = [join(folder, `${name}-key.pem`), join(folder, `${name}.pem`)];
        execFileSync(
          "openssl",
          [
            ...["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"],
            ...["-days", "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"],
            ...["-keyout", key, "-out", file],
          ],
          { stdio: "pipe" },
        );
        return file;
      };
      const [own, other] = [certificate("own"), certificate("other")];
      const data = join(server.directory, "data");
      const { uid, gid } = statSync(data);
      for (const path of [folder, own, join(folder, "own-key.pem")]) chownSync(path, uid, gid);
      writeFileSync(
        join(data, "pg_hba.conf"),
        "host all guarded 127.0.0.1/32 scram-sha-256\nhost all all 127.0.0.1/32 trust\nlocal all all trust\n",
      );
      appendFileSync(
        join(data, "postgresql.conf"),
        `ssl = on\nssl_cert_file = '${own}'\nssl_key_file = '${join(folder, "own-key.pem")}'\n`,
      );
      await sql.query("create role guarded login password 'hunter2'");
      await sql.query("select pg_reload_conf()");
      const connect = (parameters: string, password: string) =>
        connectPostgres(
          parsePostgresUrl(`postgres://guarded@localhost:${server.port}/postgres?${parameters}`),
          { clock: systemClock, applicationName: "test", password },
        );
      const verified = `sslmode=verify-full&sslrootcert=${own}`;
      await expect.poll(() => connect(verified, "hunter2").then((one) => one.close())).toBeUndefined();
      const failures = [
        [
          () => connect(verified, "swordfish"),
          /password authentication failed for user "guarded": check user/,
        ],
        [() => connect("sslmode=disable", "swordfish"), /password authentication failed for user "guarded"/],
        [
          () => connect(`sslmode=verify-full&sslrootcert=${other}`, "hunter2"),
          /self-signed certificate: check the certificate, or sslmode and sslrootcert of the URL/,
        ],
      ] as const;
      for (const [fail, message] of failures) {
        const error = await fail().then(
          () => undefined,
          (reason: unknown) => reason,
        );
        expect(error).toMatchObject({ kind: "access", message: expect.stringMatching(message) });
        expect(JSON.stringify([error, String(error)])).not.toMatch(/hunter2|swordfish/);
      }
      rmSync(folder, { recursive: true });
    });

    test("names what is wrong without a password", async () => {
      await expect(server.connect("nobody", "postgres", { password: "secret" })).rejects.toThrow(
        /^PostgreSQL at 127\.0\.0\.1:\d+\/postgres: role "nobody" does not exist: check user, password/,
      );
      await expect(server.connect("postgres", "missing")).rejects.toMatchObject({
        kind: "access",
        code: "3D000",
      });
      await (await server.connect("postgres", "postgres", { needsPrimary: true })).close();
    });
  },
);
