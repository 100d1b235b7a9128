/** Gateways that read the database rarely end equal to the node, and their readers of events miss nothing. */
import { setImmediate as turn } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { formatPosition } from "../src/api/events/position.ts";
import { newestUnit } from "../src/chain/reading/changes.ts";
import { newestRecord } from "../src/chain/reading/unit-records.ts";
import { chainReader } from "../src/chain/snapshot.ts";
import { compareStores } from "../src/chain/testing/random-chain.ts";
import type { ChainCursor, Clock } from "../src/interfaces.ts";
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

    constructor({ clock }: { readonly clock: Clock }) {
      this.clock = new VirtualClock(clock.now());
      const connect = async (): Promise<SqlConnection> => {
        const own = await server.connect("holdfast_gateway", "chain");
        // Notifications are lost.
        own.listen = async () => {};
        return own;
      };
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
      closing.push(() => this.#running?.stop() ?? Promise.resolve());
    }

    get node() {
      if (this.#running === undefined) throw new Error("The gateway was not started");
      return this.#running.node;
    }

    /** Polls until the gateway is at the position of the database. */
    async poll(): Promise<void> {
      const { cursor } = await readPosition(sql);
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

  test("that read the database rarely end equal to the node, with all events", async () => {
    /** Undone units that a gateway or the mirror never saw, and units that returned. */
    const counts = { unseenByGateway: 0, unseenByMirror: 0, returned: 0, reverted: 0 };
    for (let seed = FIRST_SEED; seed < FIRST_SEED + CHAINS; seed++) {
      await emptyTables(sql);
      const random = new SeededRandom(seed);
      const chain = new NodeChain(random);
      const { node, settings } = chain;
      await node.start();
      closing.push(async () => {
        // The server waits on this clock for clients that have not closed their connections.
        let isStopped = false;
        const stopped = node.stop().finally(() => {
          isStopped = true;
        });
        while (!isStopped) await elapse(chain.clock, 1_000);
        await stopped;
      });
      const mirror = new MirrorDatabase(sql, {
        reader: chainReader(chain.store, readerContext(settings, node.chain.rules, node.trust)),
        network: chain.profile,
        clock: chain.clock,
        description: sourceDescription(node),
      });
      await mirror.begin();
      await mirror.live();
      chain.grow();
      const mirrorAll = async (): Promise<number> => {
        for (let undone = 0; ; ) {
          const step = await mirror.follow(1_000);
          undone += step.undone;
          if (step.isComplete) return undone;
        }
      };
      await mirrorAll();
      const gateway = new RareGateway(chain);
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
          const undone = await mirrorAll();
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
      await mirrorAll();
      await gateway.poll();
      expect(node.chain.read(newestRecord)).toEqual(gateway.node.chain.read(newestRecord));
      const { store, replaced } = gateway.machine;
      if (store === undefined) throw new Error("The gateway has no store");
      expect(replaced).toBe(0);
      compareStores(store, chain.store);
      expect([...store.range(tables.unitDigests)]).toEqual([...chain.store.range(tables.unitDigests)]);
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
});
