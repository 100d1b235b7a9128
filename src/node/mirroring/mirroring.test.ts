/** What a mirror reports about itself, and what it does while a real server refuses it. */
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { Clock } from "../../interfaces.ts";
import type { SqlConnection } from "../../postgres/connection/sql-connection.ts";
import { SqlError } from "../../postgres/connection/sql-error.ts";
import type { Mirror } from "../../postgres/mirror/mirror.ts";
import { migrate } from "../../postgres/schema/migrate.ts";
import { isCurrent, MirroredChain, untilCurrent } from "../../postgres/testing/mirrored-chain.ts";
import { PostgresServer, postgresPrograms } from "../../postgres/testing/postgres-server.ts";
import { MetricsRegistry, metricsText } from "../../runtime/metrics.ts";
import { systemClock } from "../../runtime/system.ts";
import { mirrorMetrics, observeMirror } from "./metrics.ts";
import { mirrorReadiness } from "./mirror-readiness.ts";

const MAX_LAG_MS = 10_000;
const WRITER = "holdfast_writer";

/** The real clock, whose monotonic time the test can advance. */
class AdvancedClock implements Clock {
  aheadMs = 0;
  readonly now = systemClock.now;
  readonly system = systemClock.system;
  readonly after = systemClock.after;
  readonly monotonic = (): number => systemClock.monotonic() + this.aheadMs;
}

/** Delays the statements of connections that match a pattern. */
class Gate {
  #pattern: RegExp | undefined;
  #open: () => void = () => {};
  #opened: Promise<void> = Promise.resolve();
  /** Number of statements that wait. */
  waiting = 0;

  /** Also continues statements that wait for an earlier pattern. */
  close(pattern: RegExp): void {
    this.open();
    this.#pattern = pattern;
    this.#opened = new Promise((resolve) => {
      this.#open = resolve;
    });
  }

  open(): void {
    this.#pattern = undefined;
    this.waiting = 0;
    this.#open();
  }

  through(sql: SqlConnection): SqlConnection {
    const query = sql.query.bind(sql);
    const gated: SqlConnection["query"] = async (text, values, options) => {
      if (this.#pattern?.test(text)) {
        this.waiting++;
        await this.#opened;
      }
      return query(text, values, options);
    };
    return Object.assign(sql, { query: gated });
  }
}

describe.skipIf(postgresPrograms === undefined)("a mirror (scripts/install-postgres.sh)", () => {
  let server: PostgresServer;
  let admin: SqlConnection;
  /** All tests continue with them. */
  const chain = new MirroredChain(1);
  const clock = new AdvancedClock();
  let mirror: Mirror | undefined;
  const registry = new MetricsRegistry();

  beforeAll(async () => {
    server = await PostgresServer.start({ settings: { max_connections: "12" } });
    await server.createDatabase("chain");
    admin = await server.connect();
    // A mirror may wait for the tables before the migration creates its role.
    await admin.query(`create role ${WRITER} login`);
  });
  afterAll(async () => {
    await mirror?.stop();
    await admin?.close();
    await server?.stop();
  });

  /** Returns all metrics of the mirror, without the common part of their names. */
  async function metrics(): Promise<Record<string, number | string | undefined>> {
    const text = await metricsText(registry.samples());
    const found = [...text.matchAll(/^holdfast_mirror_(\w+) (\S+)$/gm)].map(([, name, value]) => [
      name,
      Number(value),
    ]);
    const states = [...text.matchAll(/^holdfast_mirror_state\{state="(\w+)"\} 1$/gm)].map(
      ([, state]) => state,
    );
    return { ...Object.fromEntries(found), state: states.join() };
  }
  const reasons = () => mirrorReadiness(mirror?.info, MAX_LAG_MS).reasons;
  const codes = () => reasons().map(({ code }) => code);

  test("reports each state, lag, and counts of its work", async () => {
    const gate = new Gate();
    chain.growTo(20);
    registry.declare(Object.values(mirrorMetrics));
    observeMirror(registry, () => mirror);
    expect(codes()).toEqual(["no chain"]);
    expect(await metrics()).toEqual({
      ...{ state: "waiting", lag_units: 0, lag_seconds: -1, height: 0, units_total: 0 },
      ...{ transactions_total: 0, commits_total: 0, undone_units_total: 0, retries_total: 0 },
    });

    gate.close(/create_late_index/);
    const connect = async () => gate.through(await server.connect(WRITER, "chain"));
    mirror = chain.mirror(connect, "one", "store one", clock);
    await vi.waitUntil(() => mirror?.info.problem !== undefined);
    expect(reasons()).toEqual([
      { code: "waiting", message: expect.stringMatching(/has no tables .*: run holdfast mirror migrate\.$/) },
    ]);
    await vi.waitUntil(async () => Number((await metrics()).retries_total) > 0);

    const sql = await server.connect("postgres", "chain");
    await migrate(sql, "test");
    await vi.waitUntil(() => gate.waiting > 0, { timeout: 30_000 });
    expect(codes()).toEqual(["filling"]);
    expect(await metrics()).toMatchObject({ state: "filling", lag_seconds: -1, height: 0 });
    expect((await metrics()).lag_units).toBeGreaterThanOrEqual(20);
    gate.close(/analyze_table/);
    await vi.waitUntil(() => gate.waiting > 0, { timeout: 30_000 });
    expect(codes()).toEqual(["indexing"]);
    expect(await metrics()).toMatchObject({ state: "indexing", height: 15 });
    gate.open();
    await untilCurrent(mirror);
    expect(mirrorReadiness(mirror.info, MAX_LAG_MS)).toEqual({
      reasons: [],
      details: { mirror: { state: "live", height: 20, lagUnits: 0, lagSeconds: 0 } },
    });
    const { rows } = await sql.query<{ units: bigint; transactions: bigint }>(
      "select (select count(*) from holdfast_1.unit) as units, (select count(*) from holdfast_1.transaction) as transactions",
    );
    const filled = await metrics();
    expect(filled).toMatchObject({ state: "live", lag_units: 0, height: 20, undone_units_total: 0 });
    expect(filled.lag_seconds).toBeGreaterThanOrEqual(0);
    expect(filled.lag_seconds).toBeLessThan(MAX_LAG_MS / 1_000);
    expect(filled).toMatchObject({
      units_total: Number(rows[0].units),
      transactions_total: Number(rows[0].transactions),
    });
    expect(filled.commits_total).toBeGreaterThanOrEqual(2);

    gate.close(/FOR UPDATE/);
    chain.growTo(22);
    await vi.waitUntil(() => gate.waiting > 0);
    clock.aheadMs += MAX_LAG_MS / 2;
    expect(codes()).toEqual([]);
    clock.aheadMs += MAX_LAG_MS / 2;
    expect(reasons()).toEqual([
      { code: "lag", message: "The database does not have the node's newest unit." },
    ]);
    const behind = await metrics();
    expect(behind).toMatchObject({ state: "live", height: 20, commits_total: filled.commits_total });
    expect(behind.lag_units).toBeGreaterThanOrEqual(2);
    expect(behind.lag_seconds).toBeGreaterThanOrEqual(MAX_LAG_MS / 1_000);
    gate.open();
    await untilCurrent(mirror);
    expect(codes()).toEqual([]);
    chain.shrink();
    chain.grow();
    await untilCurrent(mirror);
    const undone = await metrics();
    expect(undone.undone_units_total).toBeGreaterThan(0);
    expect(undone.commits_total).toBeGreaterThan(Number(filled.commits_total));
    await sql.close();
  });

  /** Takes all connections that the server grants to others than superusers. */
  async function takeConnections(): Promise<() => Promise<void>> {
    const taken: SqlConnection[] = [];
    const isRefused = (): boolean => /slots|too many clients/.test(mirror?.info.problem ?? "");
    // The mirror may get its connections back before the test takes them.
    while (!isRefused()) {
      await admin.query("select pg_terminate_backend(pid) from pg_stat_activity where usename = $1", [
        WRITER,
      ]);
      try {
        for (;;) taken.push(await server.connect("holdfast_reader", "chain"));
      } catch (error) {
        if (!(error instanceof SqlError) || error.kind !== "too many connections") throw error;
      }
      await vi.waitUntil(isRefused, { timeout: 2_000, interval: 20 }).catch(() => {});
    }
    return async () => {
      for (const connection of taken) await connection.close();
    };
  }

  async function setReadOnly(): Promise<() => Promise<void>> {
    const set = async (text: string): Promise<void> => {
      await admin.query("set default_transaction_read_only = off");
      await admin.query(text);
      await admin.query("select pg_reload_conf()");
    };
    await set("alter system set default_transaction_read_only = on");
    return () => set("alter system reset default_transaction_read_only");
  }

  async function kill(): Promise<() => Promise<void>> {
    await server.kill("SIGKILL");
    return async () => {
      await server.resume();
      admin = await server.connect();
    };
  }

  test.each([
    ["is read-only", setReadOnly, /cannot execute \w+ in a read-only transaction/],
    ["has no free connection", takeConnections, /connection slots are reserved|too many clients/],
    ["was killed", kill, /ECONNREFUSED|ECONNRESET|terminated|connection ended/],
  ] as const)("waits while the server %s, and then continues", async (_, begin, reason) => {
    if (mirror === undefined) throw new Error("no mirror runs");
    await untilCurrent(mirror);
    const { height } = chain.chain.tip;
    chain.log.lines.length = 0;
    const before = await metrics();
    const end = await begin();
    chain.growTo(height + 2);
    await vi.waitUntil(() => mirror?.info.isWriter === false && reason.test(mirror.info.problem ?? ""), {
      timeout: 30_000,
    });
    clock.aheadMs += 60_000;
    expect(reasons()).toEqual([{ code: "waiting", message: expect.stringMatching(reason) }]);
    const during = await metrics();
    expect(during).toMatchObject({ state: "waiting", height, units_total: before.units_total });
    expect(during.retries_total).toBeGreaterThan(Number(before.retries_total));
    expect(during.lag_units).toBeGreaterThanOrEqual(2);
    expect(during.lag_seconds).toBeGreaterThanOrEqual(60);
    const warnings = chain.log.lines.filter(({ message }) => message === "The mirror waits");
    expect(warnings).toContainEqual(
      expect.objectContaining({ level: "warn", facts: { reason: expect.stringMatching(reason) } }),
    );
    await end();
    await untilCurrent(mirror);
    expect(isCurrent(mirror)).toBe(true);
    expect(codes()).toEqual([]);
    expect(await metrics()).toMatchObject({ state: "live", lag_units: 0, height: height + 2 });
    expect(chain.log.lines.map(({ message }) => message)).toContain("The mirror continues");
    const sql = await server.connect("postgres", "chain");
    expect(await chain.verify(sql)).toMatchObject({ outcome: "complete", faults: [] });
    await sql.close();
  });
});
