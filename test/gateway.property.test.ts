/** Gateways that read the database rarely end equal to the node, and their readers of events miss nothing. */
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { formatPosition } from "../src/api/events/position.ts";
import { newestUnit } from "../src/chain/reading/changes.ts";
import { newestRecord } from "../src/chain/reading/unit-records.ts";
import { chainReader } from "../src/chain/snapshot.ts";
import { compareStores } from "../src/chain/testing/random-chain.ts";
import type { ChainCursor, Clock, SourceFrame } from "../src/interfaces.ts";
import { hasExplorer } from "../src/node/api/api.ts";
import { readerContext } from "../src/node/composition.ts";
import { NodePool } from "../src/node/following/gateway/node-pool.ts";
import { type RunningFollower, runFollower } from "../src/node/following/run-follower.ts";
import { startApiInline } from "../src/node/testing/api-inline.ts";
import { FollowerMachine, sourceDescription } from "../src/node/testing/follower-machine.ts";
import type { SqlConnection } from "../src/postgres/connection/sql-connection.ts";
import { readPosition } from "../src/postgres/mirror/stored-position.ts";
import { migrate } from "../src/postgres/schema/migrate.ts";
import { MirrorDatabase } from "../src/postgres/testing/mirror-database.ts";
import { emptyTables } from "../src/postgres/testing/mirrored-tables.ts";
import { PostgresServer, postgresPrograms } from "../src/postgres/testing/postgres-server.ts";
import { PostgresUnitSource } from "../src/postgres/units/postgres-unit-source.ts";
import { tables } from "../src/storage/tables.ts";
import { elapse } from "../src/testing/elapse.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { silentLog } from "../src/testing/silent-log.ts";
import { tcpProxy } from "../src/testing/tcp-proxy.ts";
import { VirtualClock } from "../src/testing/virtual-clock.ts";
import { isSameUnit } from "../src/units/same-unit.ts";
import { messagesOf } from "./support/event-reader.ts";
import { NodeChain } from "./support/node-chain.ts";

/** Chains: 1 in the test run; more with `SOAK_TIMES`. */
const CHAINS = Number(process.env.SOAK_TIMES ?? 1);
const FIRST_SEED = Number(process.env.SOAK_SEED ?? 1);
const STEPS = 60;
/** Interval of polls without notifications, ms. */
const POLL_MS = 1_000;

/** The server of a node waits on its clock for clients that have not closed their connections. */
async function stopWith(clock: VirtualClock, stop: () => Promise<void>): Promise<void> {
  let isStopped = false;
  const stopped = stop().finally(() => {
    isStopped = true;
  });
  while (!isStopped) await elapse(clock, 1_000);
  await stopped;
}

/** Waits longer than a statement that was sent takes to arrive. */
async function settled(): Promise<void> {
  for (let i = 0; i < 50; i++) await turn();
}

/** Reads all events of the chain from one server. */
class EventStack {
  /** Events that were not reverted. */
  readonly seen: string[] = [];
  reverted = 0;
  lastId = "";
  readonly #abort = new AbortController();
  readonly #over: Promise<void>;

  constructor(url: string) {
    this.#over = this.#read(`${url}/events?since=0&events=block,microblock,transaction`);
  }

  async #read(url: string): Promise<void> {
    const { signal } = this.#abort;
    let text = "";
    try {
      const response = await fetch(url, { signal });
      const decoder = new TextDecoder();
      for await (const piece of response.body ?? []) {
        text += decoder.decode(piece, { stream: true });
        for (const message of messagesOf(text)) this.#take(message);
        text = text.slice(text.lastIndexOf("\n\n") + 2);
      }
    } catch (error) {
      if (!signal.aborted) throw error;
    }
  }

  #take({ event, change, what, id }: ReturnType<typeof messagesOf>[number]): void {
    if (change === "committed") this.seen.push(what);
    else if (change === "reverted" && this.seen.at(-1) === what) this.seen.pop();
    else throw new Error(`${event} ${change} ${what} after ${this.seen.at(-1)}`);
    if (change === "reverted") this.reverted++;
    this.lastId = id;
  }

  /** Waits for all events up to a position. @throws if an event was missing or came twice */
  async until(unit: ChainCursor): Promise<void> {
    const position = formatPosition({ unit, offset: 0 }).replace(/0$/, "");
    const reached = vi.waitUntil(() => this.lastId.startsWith(position), { timeout: 30_000 });
    await Promise.race([reached, this.#over]);
    await reached;
  }

  async end(): Promise<void> {
    this.#abort.abort();
    await this.#over;
  }
}

describe.skipIf(postgresPrograms === undefined)("gateways (scripts/install-postgres.sh)", () => {
  let server: PostgresServer;
  let sql: SqlConnection;
  const closing: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    server = await PostgresServer.start();
    await server.createDatabase("chain");
    sql = await server.connect("postgres", "chain");
    await migrate(sql, "test");
  });
  afterAll(async () => {
    for (const close of closing.splice(0).reverse()) await close();
    await sql?.close();
    await server?.stop();
  });

  /** A gateway that reads the database only when its clock moves. */
  class RareGateway {
    readonly clock: VirtualClock;
    readonly machine: FollowerMachine;
    #running: RunningFollower | undefined;

    constructor({ clock }: { readonly clock: Clock }, connect: () => Promise<SqlConnection>) {
      this.clock = new VirtualClock(clock.now());
      const source = new PostgresUnitSource({
        name: "database",
        connect,
        clock: this.clock,
        seen: new Map(),
      });
      this.machine = new FollowerMachine({
        sources: [source],
        clock: this.clock,
        log: silentLog,
        http: startApiInline(),
        nodes: new NodePool([], this.clock),
      });
    }

    async start({ settings }: NodeChain): Promise<void> {
      const gateway = { ...settings.gateway, from: [server.url("holdfast_gateway", "chain")] };
      this.#running = await runFollower(this.machine, { ...settings, gateway }, new AbortController().signal);
      const { stop } = this.#running;
      closing.push(() => stopWith(this.clock, stop));
    }

    get node() {
      if (this.#running === undefined) throw new Error("The gateway was not started");
      return this.#running.node;
    }

    /** Polls until the gateway is at the position of the database. */
    async poll(from = sql): Promise<void> {
      const { cursor } = await readPosition(from);
      for (const end = Date.now() + 30_000; Date.now() < end; ) {
        await elapse(this.clock, POLL_MS);
        for (let i = 0; i < 50; i++) {
          await turn();
          if (isSameUnit(this.node.chain.read(newestRecord), cursor)) return;
        }
      }
      throw new Error(`The gateway is at ${this.node.chain.tip.height}, the database at ${cursor.height}`);
    }
  }

  async function startChain(random: SeededRandom): Promise<NodeChain> {
    const chain = new NodeChain(random);
    const { node } = chain;
    await node.start();
    closing.push(() => stopWith(chain.clock, node.stop));
    return chain;
  }

  async function startMirror(to: SqlConnection, chain: NodeChain): Promise<MirrorDatabase> {
    const { node, settings, clock, profile: network } = chain;
    const reader = chainReader(chain.store, readerContext(settings, node.chain.rules, node.trust));
    const mirror = new MirrorDatabase(to, { reader, network, clock, description: sourceDescription(node) });
    await mirror.begin();
    return mirror;
  }

  /** Writes all units that the database lacks. @returns the number of undone units */
  async function mirrorAll(mirror: MirrorDatabase): Promise<number> {
    for (let undone = 0; ; ) {
      const step = await mirror.follow(1_000);
      undone += step.undone;
      if (step.isComplete) return undone;
    }
  }

  function expectSameStore({ machine, node: { chain: followed } }: RareGateway, chain: NodeChain): void {
    expect(chain.node.chain.read(newestRecord)).toEqual(followed.read(newestRecord));
    const { store, replaced } = machine;
    if (store === undefined) throw new Error("The gateway has no store");
    expect(replaced).toBe(0);
    compareStores(store, chain.store);
    expect([...store.range(tables.unitDigests)]).toEqual([...chain.store.range(tables.unitDigests)]);
  }

  test("that read the database rarely end equal to the node, with all events", async () => {
    /** Undone units that a gateway or the mirror never saw, and units that returned. */
    const counts = { unseenByGateway: 0, unseenByMirror: 0, returned: 0, reverted: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CHAINS; seed++) {
      await emptyTables(sql);
      const random = new SeededRandom(seed);
      const chain = await startChain(random);
      const { node } = chain;
      const mirror = await startMirror(sql, chain);
      await mirror.live();
      chain.grow();
      await mirrorAll(mirror);
      const gateway = new RareGateway(chain, async () => {
        const own = await server.connect("holdfast_gateway", "chain");
        // Notifications are lost.
        own.listen = async () => {};
        return own;
      });
      await gateway.start(chain);
      await gateway.poll();
      const events = new EventStack(String(gateway.node.url));
      let changesSincePoll = 0;
      let undosSinceMirror = 0;
      for (let step = 0; step < STEPS; step++) {
        chain.grow();
        if (random.chance(20)) {
          chain.compete();
          undosSinceMirror++;
        }
        if (random.chance(10)) {
          chain.shrink();
          undosSinceMirror++;
        }
        if (random.chance(5)) node.chain.persistTip();
        if (random.chance(15)) {
          chain.regrow();
          counts.returned++;
        }
        if (random.chance(60)) {
          const undone = await mirrorAll(mirror);
          if (undone > 0 && changesSincePoll > 0) counts.unseenByGateway++;
          if (undosSinceMirror > 1) counts.unseenByMirror++;
          undosSinceMirror = 0;
          changesSincePoll++;
        }
        if (random.chance(20)) {
          await gateway.poll();
          changesSincePoll = 0;
        }
      }
      await mirrorAll(mirror);
      await gateway.poll();
      expectSameStore(gateway, chain);
      // A new reader of the node gets the events that the gateway's reader kept.
      const expected = new EventStack(String(node.url));
      const newest = node.chain.read(newestUnit);
      for (const one of [events, expected]) await one.until(newest);
      expect(events.seen).toEqual(expected.seen);
      counts.reverted += events.reverted;
      for (const one of [events, expected]) await one.end();
      for (const close of closing.splice(0).reverse()) await close();
    }
    for (const [name, count] of Object.entries(counts)) expect(count, name).toBeGreaterThan(0);
  });

  test.skipIf(!hasExplorer())("render pages of the explorer", async () => {
    await emptyTables(sql);
    const chain = await startChain(new SeededRandom(1));
    const mirror = await startMirror(sql, chain);
    await mirror.live();
    chain.grow();
    await mirrorAll(mirror);
    const gateway = new RareGateway(chain, () => server.connect("holdfast_gateway", "chain"));
    await gateway.start(chain);
    await gateway.poll();
    const { height } = chain.node.chain.tip;
    const page = async (path: string): Promise<string> =>
      (await fetch(`${gateway.node.url}/explorer/${path}`)).text();
    for (const [path, text] of [
      ["", `href="block/${height}"`],
      ["block/1", "First block of the chain: final."],
    ]) {
      const html = await page(path);
      expect(html).toContain(text);
      expect(html).toContain('<script type="application/json" id="answers">');
    }
    for (const close of closing.splice(0).reverse()) await close();
  });

  /** A replica is asked once after 100 ms without new units, and not before. */
  async function expectPolls(replica: PostgresServer): Promise<void> {
    const clock = new VirtualClock(0);
    let statements = 0;
    const connect = async (): Promise<SqlConnection> => {
      const own = await replica.connect("holdfast_gateway", "chain");
      const query = own.query.bind(own);
      const counted: SqlConnection["query"] = (text, values, options) => {
        statements++;
        return query(text, values, options);
      };
      return Object.assign(own, { query: counted });
    };
    const source = new PostgresUnitSource({ name: "replica", connect, clock, seen: new Map() });
    const start: ChainCursor = { height: 0, sequence: 0, id: new Uint8Array(0) };
    const frames = source.open(start, new AbortController().signal);
    const isIdle = ({ value }: IteratorResult<SourceFrame>): boolean => value?.kind === "heartbeat";
    while (!isIdle(await frames.next()));
    for (let polls = 0; polls < 3; polls++) {
      const before = statements;
      const next = frames.next();
      clock.advance(99);
      await settled();
      expect(statements).toBe(before);
      clock.advance(1);
      expect(isIdle(await next)).toBe(true);
      expect(statements).toBe(before + 1);
    }
    await frames.return();
    await source.close();
  }

  test("of a replica poll it, and undo what it lost when it became the primary", async () => {
    await emptyTables(sql);
    const chain = await startChain(new SeededRandom(1));
    const mirror = await startMirror(sql, chain);
    await mirror.live();
    const grow = (blocks: number): void => {
      for (const height = chain.chain.tip.height + blocks; chain.chain.tip.height < height; ) chain.grow();
    };
    grow(5);
    await mirrorAll(mirror);
    const replication = await tcpProxy(server.port);
    closing.push(() => replication.close());
    const replica = await PostgresServer.startReplica(replication.port);
    closing.push(() => replica.stop());
    const replicaSql = await replica.connect("postgres", "chain");
    closing.push(() => replicaSql.close());
    await expect(replicaSql.listen("holdfast", () => {})).rejects.toMatchObject({ kind: "read-only" });

    const ofReplica = new RareGateway(chain, () => replica.connect("holdfast_gateway", "chain"));
    await ofReplica.start(chain);
    await ofReplica.poll(replicaSql);
    await expectPolls(replica);

    let current = server;
    const connect = () => current.connect("holdfast_gateway", "chain");
    /** One reads the promoted server before the mirror does, the other one only afterwards. */
    const [early, late] = [new RareGateway(chain, connect), new RareGateway(chain, connect)];
    for (const gateway of [early, late]) {
      await gateway.start(chain);
      await gateway.poll();
    }
    const events = new EventStack(String(early.node.url));
    const kept = await readPosition(replicaSql);
    replication.isStalled = true;
    grow(4);
    await mirrorAll(mirror);
    const lost = await readPosition(sql);
    for (const gateway of [early, late]) await gateway.poll();
    await server.kill("SIGKILL");
    replication.cut();
    await replicaSql.query("select pg_promote()", [], { deadlineMs: 60_000 });
    expect(await readPosition(replicaSql)).toEqual(kept);
    current = replica;
    await early.poll(replicaSql);
    expect(early.node.chain.tip.height).toBeLessThan(lost.cursor.height);
    expect(late.node.chain.tip.height).toBe(lost.cursor.height);

    // The node has meanwhile left some of the lost units, and the promoted server never had them.
    chain.shrink();
    grow(6);
    const newMirror = await startMirror(replicaSql, chain);
    await mirrorAll(newMirror);
    const { rows } = await replicaSql.query("select from holdfast_1.reverted_unit where id = $1", [
      lost.cursor.id,
    ]);
    expect(rows).toEqual([]);
    for (const gateway of [early, late, ofReplica]) {
      await gateway.poll(replicaSql);
      expectSameStore(gateway, chain);
    }
    await events.until(chain.node.chain.read(newestUnit));
    expect(events.reverted).toBeGreaterThan(0);
    await events.end();
    await server.resume();
  });
});
