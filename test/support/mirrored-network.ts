/**
 * A forging node, its mirror, a primary and a streaming replica of PostgreSQL, and gateways that read them, all as
 * processes. Every connection to a database goes through a proxy that can disturb it.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { cpSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { networkIdentity } from "../../src/node/composition.ts";
import type { SqlConnection } from "../../src/postgres/connection/sql-connection.ts";
import { SqlError } from "../../src/postgres/connection/sql-error.ts";
import { migrate } from "../../src/postgres/schema/migrate.ts";
import { roles } from "../../src/postgres/schema/roles.ts";
import { emptyTables } from "../../src/postgres/testing/mirrored-tables.ts";
import { PostgresServer } from "../../src/postgres/testing/postgres-server.ts";
import { dev } from "../../src/profiles/index.ts";
import { systemClock } from "../../src/runtime/system.ts";
import { openStore } from "../../src/storage/store.ts";
import { journaledRows } from "../../src/storage/testing/dump.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { type TcpProxy, tcpProxy } from "../../src/testing/tcp-proxy.ts";
import { allEvents, EventReader } from "./event-reader.ts";
import { freePort } from "./free-port.ts";
import { Feed } from "./kill-feed.ts";
import {
  cleanEnvironment,
  cliPath,
  heightOf,
  type NodeProcess,
  removeFolder,
  runCli,
  startNodeProcess,
  until,
} from "./node-process.ts";

const READERS = 2;
const NODE_RETRY_MS = 50;
const MAX_ROLLBACK_BLOCKS = 3;
const MAX_OUTPUT = 100_000;
const LAST_LINES = 3_000;
const DATABASE = "postgres";
/** A kill loses nothing that a process has written, so the servers need not sync. The replica may be away for a while. */
const SERVER = { settings: { wal_keep_size: "512MB", max_connections: "40" } };
/** A gateway that lacks its database for this time is not ready. */
const MAX_LAG = "2s";
/** Events of a stream without pauses of this length are those of the whole chain. */
const QUIET_MS = 15_000;

/** Servers that a gateway reads, by index. */
export type GatewaySources = readonly number[];

export interface NetworkSums {
  rollbacks: number;
  blocks: number;
  accepted: number;
  events: number;
  reverted: number;
}

interface Gateway {
  readonly sources: GatewaySources;
  readonly folder: string;
  readonly port: number;
  readonly proxies: readonly TcpProxy[];
  process: NodeProcess | undefined;
  /** While it fills its store; it may not answer yet. */
  filling: ChildProcess | undefined;
}

export class MirroredNetwork {
  readonly random: SeededRandom;
  readonly servers: readonly [PostgresServer, PostgresServer];
  /** Index of the primary. */
  primary = 0;
  /** Between the replica and its primary. */
  readonly replication: TcpProxy;
  /** Between the mirror and each server. */
  readonly mirrorProxies: readonly TcpProxy[];
  readonly gateways: readonly Gateway[];
  readonly #folder: string;
  readonly #feed: Feed;
  readonly #readers: EventReader[] = [];
  #node: NodeProcess | undefined;
  #mirror: ChildProcess | undefined;
  #mirrorOutput = "";
  #isOver = false;
  #rollbacks = 0;

  /**
   * Starts everything, and waits until the database and the gateways have the chain.
   * @param template data directory of a stopped node with the first part of the chain
   * @param gateways servers that each gateway reads
   */
  static async start(
    folder: string,
    random: SeededRandom,
    template: string,
    gateways: readonly GatewaySources[],
  ): Promise<MirroredNetwork> {
    const primary = await PostgresServer.start(SERVER);
    const replication = await tcpProxy(primary.port);
    const sql = await primary.connect();
    await migrate(sql, "soak");
    await sql.close();
    const replica = await PostgresServer.startReplica(replication.port, SERVER);
    const servers = [primary, replica] as const;
    const proxies = (indexes: readonly number[]): Promise<TcpProxy[]> =>
      Promise.all(indexes.map((i) => tcpProxy(servers[i].port)));
    const network = new MirroredNetwork(folder, random, servers, {
      replication,
      mirrorProxies: await proxies([0, 1]),
      gateways: await Promise.all(
        gateways.map(async (sources, i) => ({
          sources,
          folder: join(folder, `gateway-${i}`),
          port: await freePort(),
          proxies: await proxies(sources),
          process: undefined,
          filling: undefined,
        })),
      ),
    });
    cpSync(template, network.#nodeFolder, { recursive: true });
    try {
      await network.startNode();
      network.startMirror();
      for (const gateway of network.gateways) await network.startGateway(gateway);
      await network.converge();
      network.#read();
      return network;
    } catch (error) {
      const output = network.output();
      await network.close();
      throw new Error(`${error instanceof Error ? error.message : error}\n${output}`, { cause: error });
    }
  }

  private constructor(
    folder: string,
    random: SeededRandom,
    servers: MirroredNetwork["servers"],
    parts: Pick<MirroredNetwork, "replication" | "mirrorProxies" | "gateways">,
  ) {
    this.#folder = folder;
    this.random = random;
    this.servers = servers;
    this.replication = parts.replication;
    this.mirrorProxies = parts.mirrorProxies;
    this.gateways = parts.gateways;
    this.#feed = new Feed(new SeededRandom(random.below(2 ** 31)));
  }

  /** Readers of `/events` change between the node and all gateways. */
  #read(): void {
    const urls = (): readonly string[] =>
      [this.#node, ...this.gateways.map((gateway) => gateway.process)].flatMap((one) => one?.url ?? []);
    for (let i = 0; i < READERS; i++)
      this.#readers.push(new EventReader(new SeededRandom(this.random.below(2 ** 31)), urls));
  }

  get #nodeFolder(): string {
    return join(this.#folder, "node");
  }

  get node(): NodeProcess {
    if (this.#node === undefined) throw new Error("no node runs");
    return this.#node;
  }

  get mirrorOutput(): string {
    return this.#mirrorOutput;
  }

  async startNode(): Promise<void> {
    this.#node = await startNodeProcess({ dataDir: this.#nodeFolder });
  }

  async killNode(): Promise<void> {
    await this.node.kill();
  }

  get #mirrorArgs(): string[] {
    const hosts = this.mirrorProxies.map(({ port }) => `127.0.0.1:${port}`).join(",");
    return ["--data-dir", this.#nodeFolder, "--to", `postgres://${roles.writer}@${hosts}/${DATABASE}`];
  }

  startMirror(): void {
    const args = ["mirror", ...this.#mirrorArgs, "--metrics-port", "0", "--max-lag", MAX_LAG];
    const child = spawn(process.execPath, [cliPath, ...args], {
      env: cleanEnvironment(),
    });
    const keep = (chunk: Buffer): void => {
      this.#mirrorOutput = (this.#mirrorOutput + chunk.toString()).slice(-MAX_OUTPUT);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    child.once("close", (code, signal) => keep(Buffer.from(`ended with ${code ?? signal}\n`)));
    this.#mirror = child;
  }

  /** The answer of the newest mirror's readiness probe. */
  async mirrorReadiness(): Promise<{ readonly status: number; readonly text: string }> {
    const url = [...this.#mirrorOutput.matchAll(/Metrics for Prometheus at (http:\S+)\/metrics/g)].at(
      -1,
    )?.[1];
    const response = await fetch(`${url}/health/ready`);
    return { status: response.status, text: await response.text() };
  }

  async killMirror(): Promise<void> {
    await killed(this.#mirror);
  }

  #gatewayArgs(gateway: Gateway): string[] {
    return ["--api-port", String(gateway.port), "--max-lag", MAX_LAG, ...fromArgs(gateway)];
  }

  async startGateway(gateway: Gateway): Promise<void> {
    const args = this.#gatewayArgs(gateway);
    gateway.process = await startNodeProcess({ command: "gateway", dataDir: gateway.folder, args });
  }

  /** Deletes the store of a gateway, and starts it without waiting for its answers. */
  async beginGatewayFill(gateway: Gateway): Promise<void> {
    await gateway.process?.kill();
    gateway.process = undefined;
    removeFolder(gateway.folder);
    const args = ["gateway", "--data-dir", gateway.folder, ...this.#gatewayArgs(gateway)];
    gateway.filling = spawn(process.execPath, [cliPath, ...args], {
      stdio: "ignore",
      env: cleanEnvironment(),
    });
  }

  async killGateway(gateway: Gateway): Promise<void> {
    await killed(gateway.filling);
    gateway.filling = undefined;
    await gateway.process?.kill();
    gateway.process = undefined;
  }

  /** The mirror must fill the tables again. */
  async emptyDatabase(): Promise<void> {
    await this.killMirror();
    await this.withSql(this.primary, emptyTables);
    this.startMirror();
  }

  /** Sends transactions to the node until the work ends, also after the node was restarted. */
  async fed(work: () => Promise<void>): Promise<void> {
    let isDone = false;
    const isOver = (): boolean => isDone || this.#isOver;
    const feed = async (): Promise<void> => {
      while (!isOver()) {
        // The node is killed meanwhile.
        await this.#feed.run(this.node, isOver).catch(() => {});
        await delay(NODE_RETRY_MS);
      }
    };
    const feeding = feed();
    try {
      await work();
    } finally {
      isDone = true;
      await feeding;
    }
  }

  async rollBack(): Promise<void> {
    const height = await heightOf(this.node);
    const rollbackTo = Math.max(1, height - 1 - this.random.below(MAX_ROLLBACK_BLOCKS));
    if (rollbackTo >= height) return;
    this.#feed.rolledBackTo(rollbackTo);
    this.#rollbacks++;
    await this.node.post("/debug/rollback", { rollbackTo, returnTransactionsToUtx: false });
  }

  async withSql<T>(server: number, work: (sql: SqlConnection) => Promise<T>): Promise<T> {
    const options = { clock: systemClock, deadlineMs: 60_000 };
    const sql = await this.servers[server].connect("postgres", DATABASE, options);
    try {
      return await work(sql);
    } finally {
      await sql.close();
    }
  }

  /** Newest unit and state in a database; undefined if there are none, or the server is away. */
  async position(server: number): Promise<Position | undefined> {
    try {
      return await this.withSql(server, async (sql) => {
        const { rows } = await sql.query<Position>("select height, sequence, state from holdfast_1.chain");
        return rows[0];
      });
    } catch (error) {
      if (error instanceof SqlError) return undefined;
      throw error;
    }
  }

  /** Waits until database, replica and gateways have the node's chain, and the gateways are ready. */
  async converge(): Promise<void> {
    const goal = (await this.node.get("/blocks/headers/last")).json.height as number;
    for (const server of [this.primary, 1 - this.primary])
      await until(`server ${server} to have block ${goal}`, async () => {
        const position = await this.position(server);
        return (position?.state === "live" && position.height >= goal) || undefined;
      });
    for (const gateway of this.gateways) await this.#mustFollow(gateway, goal);
  }

  async #mustFollow(gateway: Gateway, goal: number): Promise<void> {
    const { process: running } = gateway;
    if (running === undefined) throw new Error("a gateway does not run");
    const name = `gateway ${this.gateways.indexOf(gateway)}`;
    await until(`${name} to have block ${goal}`, async () => {
      const answer = await answerOf(running, "/blocks/height");
      const height = answer?.status === 200 ? (answer.json.height as number) : 0;
      if (height < goal) return undefined;
      const at = `/blocks/at/${Math.max(1, height - 1)}`;
      const [ours, theirs] = await Promise.all([answerOf(running, at), this.node.get(at)]);
      return ours?.text === theirs.text || undefined;
    });
    await until(`${name} to be ready`, async () => (await isReady(running)) || undefined);
    if (/digest of a unit differs|unit was refused/.test(running.output()))
      throw new Error(`${name} refused a unit`);
  }

  /**
   * Compares all tables of the primary with the node's chain.
   * @returns `behind` if the database lacked the node's newest unit, `other chain` if the node undid the database's
   * newest unit; what could be compared is equal then, too
   */
  async verifyTables(): Promise<"complete" | "behind" | "other chain"> {
    const to = this.servers[this.primary].url(roles.writer, DATABASE);
    const { code, stdout, stderr } = await runCli([
      ...["mirror", "verify", "--data-dir", this.#nodeFolder, "--to", to],
    ]);
    if (stderr.includes("is not on the node's chain")) return "other chain";
    if (code !== 0) throw new Error(`mirror verify ended with code ${code}: ${stdout}${stderr}`);
    return stderr.includes("The newest block was not compared") ? "behind" : "complete";
  }

  /** Compares a running gateway's units with its database. @returns true if it has the newest unit */
  async verifyGateway(gateway: Gateway): Promise<boolean> {
    const args = ["gateway", "verify", "--data-dir", gateway.folder, ...fromArgs(gateway)];
    const { code, stdout, stderr } = await runCli(args);
    // Units may leave the chain meanwhile.
    if (/Repeat the command|let the gateway follow first/.test(stderr)) return false;
    if (code !== 0) throw new Error(`gateway verify ended with code ${code}: ${stdout}${stderr}`);
    return [...stdout.matchAll(/gateway (\S+), database (\S+)\n/g)].every(
      ([, own, theirs]) => own === theirs,
    );
  }

  /**
   * Stops the node, waits until its last unit has arrived everywhere, and compares tables, stores and events.
   * @throws Error that names what differs
   */
  async finish(sums: NetworkSums): Promise<void> {
    await this.converge();
    sums.blocks += (await heightOf(this.node)) - 1;
    sums.accepted += this.#feed.accepted;
    sums.rollbacks += this.#rollbacks;
    const [{ process: gateway }] = this.gateways;
    if (gateway === undefined) throw new Error("no gateway runs");
    // A gateway may have been away while the node had a block that it rolled back; the node knows all positions.
    for (const reader of this.#readers) {
      await reader.stop();
      await reader.readAll(this.node.url);
      const known = async () => (await reader.isKnownTo(gateway.url)) || undefined;
      await until("a gateway to know the position of a reader", known);
    }
    if ((await this.node.stop()) !== 0) throw new Error("the node did not stop");
    await until(
      "the tables to have the newest unit",
      async () => (await this.verifyTables()) === "complete" || undefined,
    );
    for (const one of this.gateways)
      await until(
        "a gateway to have the newest unit",
        async () => (await this.verifyGateway(one)) || undefined,
      );
    for (const { process: one } of this.gateways) {
      if (one === undefined) continue;
      if (one === gateway) for (const reader of this.#readers) await reader.readAll(one.url);
      const most = Math.max(0, ...this.#readers.map(({ seen }) => seen.length));
      const expected = await allEvents(one.url, { quietMs: QUIET_MS, expected: most });
      for (const reader of this.#readers) {
        if (JSON.stringify(reader.seen) !== JSON.stringify(expected))
          throw new Error(`a reader has ${reader.seen.length} events, ${one.url} has ${expected.length}`);
      }
    }
    for (const { counts } of this.#readers) {
      sums.events += counts.events;
      sums.reverted += counts.reverted;
    }
    for (const one of this.gateways)
      if ((await one.process?.stop()) !== 0) throw new Error("a gateway did not stop");
    await this.#compareStores();
  }

  async #compareStores(): Promise<void> {
    const expected = await storedRows(this.#nodeFolder);
    for (const [i, { folder }] of this.gateways.entries()) {
      const rows = await storedRows(folder);
      const at = rows.findIndex((row, j) => row !== expected[j]);
      if (at >= 0 || rows.length !== expected.length)
        throw new Error(
          `the store of gateway ${i} has ${rows.length} rows, the node's ${expected.length}: ` +
            `${rows[at]?.slice(0, 300)} instead of ${expected[at]?.slice(0, 300)}`,
        );
      const { code, stdout, stderr } = await runCli(["verify", "--data-dir", folder]);
      if (code !== 0) throw new Error(`verify of gateway ${i} ended with code ${code}: ${stdout}${stderr}`);
    }
  }

  async close(): Promise<void> {
    this.#isOver = true;
    for (const reader of this.#readers) await reader.stop().catch(() => {});
    await this.killMirror();
    await this.#node?.kill();
    for (const gateway of this.gateways) await this.killGateway(gateway);
    for (const proxy of this.proxies()) await proxy.close();
    for (const server of this.servers) await server.stop();
    removeFolder(this.#folder);
  }

  proxies(): readonly TcpProxy[] {
    return [this.replication, ...this.mirrorProxies, ...this.gateways.flatMap(({ proxies }) => proxies)];
  }

  output(): string {
    const texts = [
      this.#node?.output() ?? "",
      this.#mirrorOutput,
      ...this.gateways.map((gateway) => gateway.process?.output() ?? ""),
    ];
    return texts.map((text) => text.slice(-LAST_LINES)).join("\n---\n");
  }
}

interface Position extends Readonly<Record<string, unknown>> {
  readonly height: number;
  readonly sequence: number;
  readonly state: string;
}

function fromArgs({ proxies }: Gateway): string[] {
  const urls = proxies.map(({ port }) => `postgres://${roles.gateway}@127.0.0.1:${port}/${DATABASE}`);
  return ["--from", urls.join(",")];
}

/**
 * Returns undefined if the node does not answer, for example while it opens another store.
 * @throws Error if it has ended
 */
export async function answerOf(node: NodeProcess, path: string) {
  try {
    return await node.get(path);
  } catch (error) {
    if (error instanceof TypeError && !node.hasEnded()) return undefined;
    throw error;
  }
}

export async function isReady(node: NodeProcess): Promise<boolean> {
  return (await answerOf(node, "/health/ready"))?.status === 200;
}

async function storedRows(dataDir: string): Promise<string[]> {
  const store = await openStore(join(dataDir, "chain"), { network: networkIdentity(dev), readOnly: true });
  try {
    return store.read(journaledRows);
  } finally {
    await store.close();
  }
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.kill("SIGKILL");
  await ended;
}
