/**
 * Kills a mirror, its PostgreSQL and its node, each at its own time, while the mirror fills the database or is live.
 * After each round the database must reach the node's chain, and `mirror verify` must find no difference.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import type { SqlConnection } from "../../src/postgres/connection/sql-connection.ts";
import { SqlError } from "../../src/postgres/connection/sql-error.ts";
import { migrate } from "../../src/postgres/schema/migrate.ts";
import { emptyTables } from "../../src/postgres/testing/mirrored-tables.ts";
import { PostgresServer } from "../../src/postgres/testing/postgres-server.ts";
import { systemClock } from "../../src/runtime/system.ts";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { Feed } from "./kill-feed.ts";
import {
  cleanEnvironment,
  cliPath,
  heightOf,
  type NodeProcess,
  runCli,
  startNodeProcess,
  until,
} from "./node-process.ts";

const MAX_DELAY_MS = 2_500;
/** Every other round begins with an empty database. */
const moments = ["filling", "live"] as const;
const ROLLBACK_PERCENTAGE = 30;
const MAX_ROLLBACK_BLOCKS = 3;
/** A round with `mirror verify` of the whole chain. */
const ROUNDS_PER_VERIFY = 5;

interface MirrorRoundsOptions {
  readonly folder: string;
  /** Kills of each process. */
  readonly times: number;
  readonly seed: number;
  isOver(): boolean;
  readonly report?: (rounds: number) => void;
}

export interface MirrorReport {
  readonly rounds: number;
  readonly filling: number;
  readonly rollbacks: number;
  readonly blocks: number;
  readonly accepted: number;
}

/** @throws Error that says what differs, and after which round */
export async function mirrorRounds(options: MirrorRoundsOptions): Promise<MirrorReport> {
  const { folder, times, seed, isOver, report } = options;
  const server = await PostgresServer.start({ syncs: true });
  const world = new MirroredNode(join(folder, "node"), server, new SeededRandom(seed));
  let rounds = 0;
  try {
    await world.start();
    while (rounds < times && !isOver()) {
      await world.round(moments[rounds % moments.length]);
      rounds++;
      if (rounds % ROUNDS_PER_VERIFY === 0 || rounds === times) await world.verify();
      report?.(rounds);
    }
    return { rounds, ...(await world.sums()) };
  } catch (error) {
    throw new Error(
      `round ${rounds + 1}: ${error instanceof Error ? error.message : error}\n${world.output()}`,
      {
        cause: error,
      },
    );
  } finally {
    await world.close();
    await server.stop();
  }
}

class MirroredNode {
  readonly #folder: string;
  readonly #server: PostgresServer;
  readonly #random: SeededRandom;
  readonly #feed: Feed;
  #node: NodeProcess | undefined;
  #mirror: ChildProcess | undefined;
  #output = "";
  #isOver = false;
  #filling = 0;
  #rollbacks = 0;

  constructor(folder: string, server: PostgresServer, random: SeededRandom) {
    this.#folder = folder;
    this.#server = server;
    this.#random = random;
    this.#feed = new Feed(new SeededRandom(random.below(2 ** 31)));
  }

  async start(): Promise<void> {
    await this.#withSql((sql) => migrate(sql, "soak"));
    this.#node = await startNodeProcess({ dataDir: this.#folder });
    this.#startMirror();
  }

  async round(moment: (typeof moments)[number]): Promise<void> {
    const random = this.#random;
    let isFed = false;
    const feeding = this.#feed.run(this.#running(), () => isFed || this.#isOver).catch(() => {});
    if (moment === "filling") {
      this.#filling++;
      await killed(this.#mirror);
      await this.#withSql(emptyTables);
      this.#startMirror();
    }
    if (random.chance(ROLLBACK_PERCENTAGE)) await this.#rollBack();
    const wait = (): Promise<void> => delay(random.below(MAX_DELAY_MS));
    const [mirrorWait, serverWait, nodeWait] = [wait(), wait(), wait()];
    await Promise.all([
      mirrorWait.then(async () => {
        await killed(this.#mirror);
        this.#startMirror();
      }),
      serverWait.then(async () => {
        await this.#server.kill("SIGKILL");
        await this.#server.resume();
      }),
      nodeWait.then(async () => {
        await this.#running().kill();
        this.#node = await startNodeProcess({ dataDir: this.#folder });
      }),
    ]);
    isFed = true;
    await feeding;
    await this.#mustMirror();
  }

  /** Compares all tables with the node's chain. */
  async verify(): Promise<void> {
    const { code, stdout, stderr } = await runCli(["mirror", "verify", ...this.#args()]);
    if (code !== 0) throw new Error(`verify ended with code ${code}: ${stdout}${stderr}`);
  }

  async sums(): Promise<Omit<MirrorReport, "rounds">> {
    return {
      filling: this.#filling,
      rollbacks: this.#rollbacks,
      blocks: (await heightOf(this.#running())) - 1,
      accepted: this.#feed.accepted,
    };
  }

  async close(): Promise<void> {
    this.#isOver = true;
    await killed(this.#mirror);
    await this.#node?.kill();
  }

  output(): string {
    return this.#output.slice(-2_000);
  }

  #running(): NodeProcess {
    if (this.#node === undefined) throw new Error("no node runs");
    return this.#node;
  }

  #args(): string[] {
    return ["--data-dir", this.#folder, "--to", this.#server.url()];
  }

  #startMirror(): void {
    const child = spawn(process.execPath, [cliPath, "mirror", ...this.#args()], { env: cleanEnvironment() });
    const keep = (chunk: Buffer): void => {
      this.#output = (this.#output + chunk.toString()).slice(-10_000);
    };
    child.stdout.on("data", keep);
    child.stderr.on("data", keep);
    this.#mirror = child;
  }

  async #rollBack(): Promise<void> {
    const height = await heightOf(this.#running());
    const rollbackTo = Math.max(1, height - 1 - this.#random.below(MAX_ROLLBACK_BLOCKS));
    if (rollbackTo >= height) return;
    this.#feed.rolledBackTo(rollbackTo);
    this.#rollbacks++;
    await this.#running().post("/debug/rollback", { rollbackTo, returnTransactionsToUtx: false });
  }

  async #withSql<T>(work: (sql: SqlConnection) => Promise<T>): Promise<T> {
    const sql = await this.#server.connect("postgres", "postgres", {
      clock: systemClock,
      deadlineMs: 60_000,
    });
    try {
      return await work(sql);
    } finally {
      await sql.close();
    }
  }

  /** Waits until the live database has a block that the node has too, at the node's height or above it. */
  async #mustMirror(): Promise<void> {
    const goal = (await this.#running().get("/blocks/headers/last")).json.height as number;
    await until(`the database to have block ${goal}`, async () => {
      try {
        return await this.#withSql(async (sql) => {
          const { rows } = await sql.query<{ height: number; state: string }>(
            "select height, state from holdfast_1.chain",
          );
          return rows[0]?.state === "live" && rows[0].height >= goal ? true : undefined;
        });
      } catch (error) {
        if (error instanceof SqlError) return undefined;
        throw error;
      }
    });
  }
}

async function killed(child: ChildProcess | undefined): Promise<void> {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise<void>((resolve) => child.once("close", () => resolve()));
  child.kill("SIGKILL");
  await ended;
}
