/** Whole gateways over a database in this process. */
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { formatPosition } from "../../../api/events/position.ts";
import { examplesOf } from "../../../api/openapi/examples.ts";
import { isKeyRoute } from "../../../api/route.ts";
import { routes } from "../../../api/routes/all.ts";
import { newestUnit } from "../../../chain/reading/changes.ts";
import { chainReader } from "../../../chain/snapshot.ts";
import { startNode } from "../../../node.ts";
import type { SqlConnection } from "../../../postgres/connection/sql-connection.ts";
import { migrate } from "../../../postgres/schema/migrate.ts";
import { startPglite } from "../../../postgres/testing/pglite-connection.ts";
import { UnitMirror } from "../../../postgres/testing/unit-mirror.ts";
import { PostgresUnitSource } from "../../../postgres/units/postgres-unit-source.ts";
import { dev } from "../../../profiles/index.ts";
import { MetricsRegistry, metricsText } from "../../../runtime/metrics.ts";
import { RemoteControlError } from "../../../runtime/remote/remote-rpc.ts";
import { memoryStore } from "../../../storage/memory-store.ts";
import { RecordingLog, rootKeyPair } from "../../../testing/dev-node.ts";
import { elapse } from "../../../testing/elapse.ts";
import { settingsOf } from "../../../testing/settings.ts";
import { simulatedEnvironment } from "../../../testing/simulated-environment.ts";
import { VirtualClock } from "../../../testing/virtual-clock.ts";
import { fixedWallet } from "../../../wallet/fixed-wallet.ts";
import { readerContext } from "../../composition.ts";
import { startApiInline } from "../../testing/api-inline.ts";
import { caughtUp, FollowerMachine, sourceDescription } from "../../testing/follower-machine.ts";
import { followingMetrics } from "../metrics.ts";
import { runFollower } from "../run-follower.ts";
import { type ConnectNode, NodeLink } from "./node-link.ts";
import { NodePool } from "./node-pool.ts";

let sql: SqlConnection;
beforeAll(async () => {
  sql = await startPglite();
  await migrate(sql, "test");
}, 120_000);
afterAll(() => sql.close());
beforeEach(async () => {
  for (const table of ["unit", "unit_body", "reverted_unit", "chain", "setting"])
    await sql.query(`truncate holdfast_1.${table}`);
});

const closing: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A forging node with an API, and its mirror. */
async function mirroredNode() {
  const clock = new VirtualClock(Number(dev.genesis.blockTimestamp) + 60_000);
  const settings = settingsOf(dev, { api: { port: 0 } });
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const http = startApiInline();
  const node = await startNode(simulatedEnvironment({ clock, store: memoryStore(), wallet, http }), settings);
  closing.push(node.stop);
  await elapse(clock, 120_000);
  const context = readerContext(node.settings, node.chain.rules, node.trust);
  const mirror = new UnitMirror(sql, chainReader(node.environment.store, context), sourceDescription(node));
  await mirror.sync();
  return { node, clock, settings, mirror };
}

type Mirrored = Awaited<ReturnType<typeof mirroredNode>>;

/** Counts the statements of a gateway, and can make them wait. */
class Connection implements SqlConnection {
  readonly name = "database";
  readonly lost = new AbortController().signal;
  statements = 0;
  /** Statements wait for it. */
  gate: Promise<void> = Promise.resolve();

  readonly query: SqlConnection["query"] = async (text, values) => {
    this.statements++;
    await this.gate;
    return sql.query(text, values);
  };
  readonly script: SqlConnection["script"] = (texts) => sql.script(texts);
  readonly copyIn: SqlConnection["copyIn"] = (target, pieces) => sql.copyIn(target, pieces);
  readonly transaction: SqlConnection["transaction"] = (work) => sql.transaction(work);
  readonly listen: SqlConnection["listen"] = (channel, onNotify) => sql.listen(channel, onNotify);
  async close(): Promise<void> {}
}

async function startGateway({ node, clock, settings }: Mirrored, nodes = new NodePool([], clock)) {
  const connection = new Connection();
  const connect = async () => connection;
  const source = new PostgresUnitSource({ name: "database", connect, clock, seen: new Map() });
  const log = new RecordingLog();
  const registry = new MetricsRegistry();
  registry.declare(Object.values(followingMetrics));
  const machine = new FollowerMachine({
    ...{ sources: [source], clock, log, http: startApiInline(), nodes },
    metrics: registry,
  });
  const gateway = { ...settings.gateway, from: ["postgres://gateway@127.0.0.1/chain"] };
  const running = await runFollower(machine, { ...settings, gateway }, new AbortController().signal);
  closing.push(() => running.stop().catch(() => {}));
  await caughtUp(running.node, node);
  /** Values of the gateway's metrics, without the common part of their names. */
  const metrics = async (): Promise<Record<string, number>> => {
    const text = await metricsText(registry.samples());
    const found = text.matchAll(/^holdfast_(?:follow|gateway)_(\S+) (\S+)$/gm);
    return Object.fromEntries([...found].map(([, name, value]) => [name, Number(value)]));
  };
  return { running, connection, log, metrics, url: String(running.node.url) };
}

async function get(url: string, path: string): Promise<Response> {
  return fetch(`${url}${path}`);
}

/** Returns the first events after a position; after a gap, only that. */
async function eventsSince(url: string, since: string, count: number): Promise<readonly string[]> {
  const end = new AbortController();
  closing.push(async () => end.abort());
  const path = `/events?since=${since}&events=block,microblock,transaction`;
  const response = await fetch(`${url}${path}`, { signal: end.signal });
  const reader = response.body?.getReader();
  const decoder = new TextDecoder();
  for (let text = ""; ; ) {
    const piece = await reader?.read();
    if (piece?.value === undefined) throw new Error(`The stream ended: ${text}`);
    text += decoder.decode(piece.value, { stream: true });
    const events = text
      .split("\n\n")
      .slice(0, -1)
      .filter((event) => event.startsWith("event: "));
    if (events.length >= count || text.includes("event: gap")) return events.slice(0, count);
  }
}

test("readers of events resume at a unit that left the chain before the gateway began", async () => {
  const mirrored = await mirroredNode();
  const { node, clock, mirror } = mirrored;
  const unit = node.chain.read(newestUnit);
  const since = formatPosition({ unit, offset: 0 });
  await node.control.chain.rollback(unit.height - 3, false);
  await mirror.sync();
  await elapse(clock, 60_000);
  await mirror.sync();
  const gateway = await startGateway(mirrored);
  const expected = await eventsSince(String(node.url), since, 4);
  expect(expected.join()).toContain('"change":"reverted"');
  expect(await eventsSince(gateway.url, since, 4)).toEqual(expected);
});

test("no request costs a statement", async () => {
  const mirrored = await mirroredNode();
  const { node, clock, mirror } = mirrored;
  const { connection, running, url } = await startGateway(mirrored);
  await elapse(clock, 60_000);
  await mirror.sync();
  await caughtUp(running.node, node);
  const before = connection.statements;
  expect(before).toBeGreaterThan(0);
  const statuses = new Map<number, number>();
  for (const route of routes) {
    if (route.method !== "GET" || isKeyRoute(route) || route.path === "/events") continue;
    const { path: values } = examplesOf(route, {}, clock.now());
    const path = route.path.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(String(values[name])));
    const { status, body } = await get(url, path);
    await body?.cancel();
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
  }
  expect(statuses.get(200)).toBeGreaterThan(40);
  expect(connection.statements - before).toBe(0);
});

test("readiness and metrics show what the gateway lacks, undid and cannot reach", async () => {
  const mirrored = await mirroredNode();
  const { node, clock, mirror } = mirrored;
  const link = (name: string, connect: ConnectNode) => new NodeLink({ name, clock, connect });
  const connected = { control: node.control, close: () => {} };
  const away = () => Promise.reject(new RemoteControlError("connection refused"));
  const nodes = new NodePool([link("a", async () => connected), link("b", away)], clock);
  const following = { ...mirrored.settings.following, maxLagMs: 30_000 };
  const settings = { ...mirrored.settings, following };
  const { connection, metrics, running, url } = await startGateway({ ...mirrored, settings }, nodes);
  const ready = async () => {
    const response = await get(url, "/health/ready");
    const { reasons } = (await response.json()) as { reasons: { code: string; message: string }[] };
    return { status: response.status, reasons };
  };
  await elapse(clock, 2_000);
  expect(await ready()).toEqual({ status: 200, reasons: [] });
  const before = await metrics();
  expect(before).toMatchObject({
    ...{ connected: 1, lag_units: 0, undone_total: 0, digest_faults_total: 0, refused_total: 0 },
    ...{ 'nodes{state="healthy"}': 1, 'nodes{state="unhealthy"}': 1 },
  });
  expect(before.lag_seconds).toBeLessThan(2);
  expect(before.units_total).toBeGreaterThanOrEqual(node.chain.tip.height - 1);

  // The database does not answer any more.
  let open: () => void = () => {};
  connection.gate = new Promise((resolve) => {
    open = resolve;
  });
  await elapse(clock, 40_000);
  await mirror.sync();
  expect((await ready()).status).toBe(200);
  expect((await metrics()).lag_seconds).toBeGreaterThan(10);
  await elapse(clock, 20_000);
  const behind = await ready();
  expect(behind.status).toBe(503);
  expect(behind.reasons.map(({ code }) => code)).toContain("lag");
  expect((await get(url, "/blocks/height")).status).toBe(200);
  expect((await metrics()).lag_seconds).toBeGreaterThan(30);
  await mirror.sync();
  open();
  await caughtUp(running.node, node);
  expect((await ready()).status).toBe(200);
  expect((await metrics()).units_total).toBeGreaterThan(before.units_total);

  await node.control.chain.rollback(node.chain.tip.height - 3, false);
  await mirror.sync();
  await caughtUp(running.node, node);
  expect((await metrics()).undone_total).toBeGreaterThanOrEqual(3);
});

/** Changes the next block in the database, before the gateway reads it. @returns its height */
async function alterNextBlock(mirrored: Mirrored, connection: Connection, change: string): Promise<number> {
  const { node, clock, mirror } = mirrored;
  const { height } = node.chain.tip;
  let open: () => void = () => {};
  connection.gate = new Promise((resolve) => {
    open = resolve;
  });
  while (node.chain.tip.height === height) await elapse(clock, 1_000);
  await mirror.sync();
  await sql.query(`update holdfast_1.${change} where height = $1 and sequence = 0`, [height + 1]);
  open();
  return height + 1;
}

test.each([
  [
    "bytes",
    "unit_body set bytes = set_byte(bytes, 20, 255 - get_byte(bytes, 20))",
    { level: "error", message: "A unit was refused", reason: /^its bytes / },
    { refused_total: expect.any(Number), digest_faults_total: 0 },
  ],
  [
    "id",
    "unit set id = set_byte(id, 9, 255 - get_byte(id, 9))",
    {
      level: "warn",
      message: "Cannot follow the source",
      reason: / has two different ids for its newest unit, 21\.0$/,
    },
    { connected: 0, refused_total: 0, digest_faults_total: 0 },
  ],
])(
  "a block whose %s is altered in the database is never served, and is named",
  async (_, change, line, counted) => {
    const mirrored = await mirroredNode();
    const { clock } = mirrored;
    const { connection, running, log, metrics, url } = await startGateway(mirrored);
    const height = await alterNextBlock(mirrored, connection, change);
    await elapse(clock, 60_000);
    expect(running.node.chain.tip.height).toBe(height - 1);
    expect((await get(url, `/blocks/at/${height}`)).status).toBe(404);
    const { level, message, reason } = line;
    const facts = expect.objectContaining({ reason: expect.stringMatching(reason) });
    expect(log.lines).toContainEqual({ level, message, facts });
    expect((await get(url, "/health/ready")).status).toBe(503);
    expect(await metrics()).toMatchObject(counted);
  },
);

test("a gateway ends if a digest is altered in the database, and names the block", async () => {
  const mirrored = await mirroredNode();
  const { connection, running, log, metrics } = await startGateway(mirrored);
  const height = await alterNextBlock(mirrored, connection, "unit set digest = sha256('1')");
  for (let isOver = false; !isOver; ) {
    await elapse(mirrored.clock, 1_000);
    expect(running.node.chain.tip.height).toBeLessThan(height);
    isOver = await Promise.race([
      running.finished.then(
        () => true,
        () => true,
      ),
      turn(false),
    ]);
  }
  await expect(running.finished).rejects.toThrow(`unit ${height}.0 cannot be applied`);
  expect(log.lines).toContainEqual({
    level: "error",
    message: "The digest of a unit differs from its source's",
    facts: expect.objectContaining({ source: "database", height, sequence: 0 }),
  });
  expect((await metrics()).digest_faults_total).toBe(1);
});
