/** A node process that copies its chain to PostgreSQL: `start --mirror-to`. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { SqlConnection } from "../src/postgres/connection/sql-connection.ts";
import { migrate } from "../src/postgres/schema/migrate.ts";
import { roles } from "../src/postgres/schema/roles.ts";
import { PostgresServer, postgresPrograms } from "../src/postgres/testing/postgres-server.ts";
import { removeFolder, startNodeProcess, temporaryFolder, until } from "./support/node-process.ts";

const dataDir = temporaryFolder("mirror-thread");
const closing: (() => Promise<unknown>)[] = [];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
  removeFolder(dataDir);
});

const PASSWORD = "hunter2";

/** Demands a password of the role that writes, by the same file as an operator. */
async function guard(server: PostgresServer, sql: SqlConnection): Promise<void> {
  const rules = [`host all ${roles.writer} 127.0.0.1/32 scram-sha-256`, "host all all 127.0.0.1/32 trust"];
  writeFileSync(join(server.directory, "data", "pg_hba.conf"), `${rules.join("\n")}\n`);
  await sql.query(`alter role ${roles.writer} password 'other'`);
  await sql.query("select pg_reload_conf()");
}

test.skipIf(postgresPrograms === undefined)(
  "a node with a wrong password forges, says why its mirror waits, and mirrors when the password is right (scripts/install-postgres.sh)",
  async () => {
    const server = await PostgresServer.start();
    closing.push(() => server.stop());
    await server.createDatabase("chain");
    const sql = await server.connect("postgres", "chain");
    closing.push(() => sql.close());
    await migrate(sql, "test");
    await guard(server, sql);
    const node = await startNodeProcess({
      dataDir,
      args: ["--mirror-to", server.url(roles.writer, "chain"), "--metrics-port", "0", "--api-key", "key"],
      env: { HOLDFAST_MIRROR_PASSWORD: PASSWORD },
    });
    closing.push(() => node.kill());
    const metricsUrl = /Metrics for Prometheus at (http:\S+\/metrics)/.exec(node.output())?.[1] ?? "";
    const reason = `password authentication failed for user \\\\"${roles.writer}\\\\": check user, password`;
    await until(
      "the reason",
      async () => node.output().includes(reason.replaceAll("\\\\", "\\")) || undefined,
    );
    const heightOf = async () => (await node.get("/blocks/height")).json.height as number;
    await until("a block without the database", async () => (await heightOf()) > 1 || undefined);
    expect(await (await fetch(metricsUrl)).text()).toContain('holdfast_mirror_state{state="waiting"} 1\n');

    await sql.query(`alter role ${roles.writer} password '${PASSWORD}'`);
    const mirrored = async () => {
      const { rows } = await sql.query<{ height: number; state: string }>(
        "select height, state from holdfast.tip",
      );
      return rows[0]?.state === "live" ? rows[0].height : 0;
    };
    const height = await heightOf();
    await until("the chain in the database", async () => (await mirrored()) >= height || undefined);
    const { rows } = await sql.query<{ id: Uint8Array }>("select id from holdfast.blocks where height = 2");
    expect(rows).toHaveLength(1);
    await until("the state in the metrics", async () => {
      const text = await (await fetch(metricsUrl)).text();
      return text.includes('holdfast_mirror_state{state="live"} 1\n') || undefined;
    });

    const shown = [
      node.output(),
      readFileSync(`/proc/${node.pid}/cmdline`, "utf8"),
      (await node.get("/debug/configInfo?full=true", { "X-API-Key": "key" })).text,
      (await node.get("/node/health", { "X-API-Key": "key" })).text,
      await (await fetch(metricsUrl)).text(),
    ];
    for (const text of shown) expect(text).not.toContain(PASSWORD);
    expect(shown[2]).toContain("mirror");
    expect(await node.stop()).toBe(0);
  },
);
