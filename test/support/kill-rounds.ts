/**
 * Kills a forging node that receives transactions, repeatedly, and checks after each kill that nothing is lost. Between
 * two runs the indexes and the way to anchor change; new indexes are built during the next run.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { existsSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { Feed } from "./kill-feed.ts";
import { everything, randomModes } from "./kill-modes.ts";
import { nextWrite } from "./next-write.ts";
import {
  cliPath,
  heightOf,
  type NodeProcess,
  removeFolder,
  runCli,
  startNodeProcess,
  until,
} from "./node-process.ts";

/**
 * The node's activity at the kill, and its share of 100 kills. The first kills of a chain go through all activities in
 * this order.
 */
const moments = {
  /** Starting: it does not listen yet, or only just does. */
  start: 15,
  /** Any activity (forging, serving, accepting transactions) at a time that the seed decides. */
  feed: 40,
  /** Committing: the operating system reports a write to the data file. */
  commit: 25,
  /** A rollback was requested a few milliseconds ago. */
  rollback: 15,
  /** `holdfast import` of the blocks exported after a kill. The chain continues from the import. */
  import: 5,
} as const;
type Moment = keyof typeof moments;
// Object.keys returns string[], but the literal has only these keys.
const eachMoment = Object.keys(moments) as Moment[];

/**
 * Maximum time to run, ms: enough for several micro blocks and in most rounds for a key block, which a node forges a
 * second after its start at the earliest.
 */
const MAX_RUN_MS = 1_800;
/** A start takes about a second on an idle machine. */
const MAX_START_MS = 1_500;
const MAX_IMPORT_MS = 800;
/** Rollbacks and commits take a few milliseconds. */
const MAX_ROLLBACK_MS = 30;
const MAX_COMMIT_MS = 3;
/** Percentage of kills after which the indexes change. */
const INDEX_CHANGE_PERCENTAGE = 40;
/** Number of kills after which a new chain begins: the duration of a full check grows with the chain. */
const KILLS_OF_A_CHAIN = 25;
/** Length of the node's output in an error message. */
const LAST_LINES = 2_000;

export interface KillReport {
  readonly kills: Readonly<Record<Moment, number>>;
  /** Number of chains, and the sum of their heights. */
  readonly chains: number;
  readonly blocks: number;
  /** Transactions that a node accepted. */
  readonly accepted: number;
  /** Transactions that a node reported as confirmed: each was found again, at its height, after each kill. */
  readonly confirmed: number;
  /** Transactions that were only in memory. */
  readonly forgotten: number;
  /** Hashes that nodes promised to anchor: all were found at the end. */
  readonly promised: number;
}

/**
 * @param options `folder`: where data directories are made; `times`: kills; `parallel`: nodes at a time, each with a
 *   directory of its own; `seed`: decides the moments and the transactions
 * @throws Error that says what was lost, and at which kill of which chain
 */
export async function killRounds(options: {
  readonly folder: string;
  readonly times: number;
  readonly parallel: number;
  readonly seed: number;
  readonly report?: (kills: number) => void;
}): Promise<KillReport> {
  const kills = { feed: 0, commit: 0, start: 0, rollback: 0, import: 0 };
  const sums = { chains: 0, blocks: 0, accepted: 0, confirmed: 0, forgotten: 0, promised: 0 };
  let begun = 0;
  let done = 0;

  const line = async (number: number): Promise<void> => {
    const random = new SeededRandom(options.seed + number * 7_919);
    while (begun < options.times) {
      const name = `chain ${++sums.chains}`;
      const chain = new KilledChain(join(options.folder, name.replace(" ", "-")), random);
      try {
        for (let round = 0; round < KILLS_OF_A_CHAIN && begun < options.times; round++) {
          begun++;
          kills[await chain.kill()]++;
          options.report?.(++done);
        }
        await chain.finish();
      } catch (error) {
        throw new Error(`${name}, kill ${chain.kills}: ${error instanceof Error ? error.message : error}`, {
          cause: error,
        });
      }
      sums.blocks += chain.height - 1;
      sums.accepted += chain.feed.accepted;
      sums.confirmed += chain.feed.confirmedCount;
      sums.forgotten += chain.feed.forgotten;
      sums.promised += chain.feed.promisedCount;
      removeFolder(chain.dataDir);
    }
  };
  await Promise.all(Array.from({ length: options.parallel }, (_, number) => line(number)));
  return { kills, ...sums };
}

/** One data directory over many runs and kills. */
class KilledChain {
  readonly feed: Feed;
  dataDir: string;
  /** Height that a node reported, unless a rollback below it was requested since. */
  height = 1;
  kills = 0;
  /** Whether a node has reported a chain. Before that there may be none. */
  private seen = false;
  /** Flags of the next run and of the check after the last one. */
  private modes: readonly string[] = everything;
  private readonly random: SeededRandom;

  constructor(dataDir: string, random: SeededRandom) {
    this.dataDir = dataDir;
    this.random = random;
    // Separate random numbers, since the number of polls depends on the node's speed.
    this.feed = new Feed(new SeededRandom(random.below(2 ** 31)));
  }

  /** One run, the kill, and a full check of the data directory. */
  async kill(): Promise<Moment> {
    const moment = this.nextMoment();
    this.kills++;
    if (this.random.chance(INDEX_CHANGE_PERCENTAGE)) this.modes = randomModes(this.random);
    if (moment === "start") await this.killStarting();
    else if (moment === "import") await this.killImporting();
    else await this.killRunning(moment);
    await this.verify();
    return moment;
  }

  /** Checks everything that was ever promised and stops the node normally. */
  async finish(): Promise<void> {
    this.modes = everything;
    const node = await startNodeProcess({ dataDir: this.dataDir, args: this.modes });
    await this.checkSurvivors(node, true);
    await this.feed.checkPromises(node);
    await until("all indexes to be whole", async () => {
      const indexes = await node.client.call("GET /node/indexes");
      return indexes.every(({ state }) => state === "ready") || undefined;
    });
    const code = await node.stop();
    if (code !== 0)
      throw new Error(`The node stopped with code ${code}: ${node.output().slice(-LAST_LINES)}`);
    const said = await this.verify();
    if (said.includes("Not compared")) throw new Error(`The verification is incomplete: ${said}`);
  }

  private nextMoment(): Moment {
    const first = eachMoment[this.kills];
    if (first !== undefined) return first;
    let left = this.random.below(100);
    for (const moment of eachMoment) {
      left -= moments[moment];
      if (left < 0) return moment;
    }
    return "feed";
  }

  private async killStarting(): Promise<void> {
    const args = ["start", "--data-dir", this.dataDir, "--api-port", "0", ...this.modes];
    await killedAfter(spawnCli(args), this.random.below(MAX_START_MS));
  }

  private async killRunning(moment: "feed" | "commit" | "rollback"): Promise<void> {
    const node = await startNodeProcess({ dataDir: this.dataDir, args: this.modes });
    await this.checkSurvivors(node, false);
    let over = false;
    // Requests in progress fail when the node dies, as intended.
    const feeding = this.feed.run(node, () => over).catch(() => {});
    await delay(this.random.below(MAX_RUN_MS));
    if (moment === "commit") {
      // A slow machine may not have got that far.
      await Promise.race([this.feed.nextConfirmed(), feeding]);
      // The node's next block, at most seconds later, triggers a commit.
      await nextWrite(join(this.dataDir, "chain", "data.mdb"));
      await delay(this.random.below(MAX_COMMIT_MS + 1));
    }
    if (moment === "rollback") {
      this.height = Math.max(1, (await heightOf(node)) - this.random.below(3));
      over = true;
      this.feed.rolledBackTo(this.height);
      const body = { rollbackTo: this.height, returnTransactionsToUtx: this.random.chance(50) };
      node.post("/debug/rollback", body).catch(() => {});
      await delay(this.random.below(MAX_ROLLBACK_MS));
    }
    over = true;
    await node.kill();
    await feeding;
  }

  /** Exports the chain and imports it into a new directory; kills the import and repeats it. */
  private async killImporting(): Promise<void> {
    const file = `${this.dataDir}.blocks`;
    const next = `${this.dataDir}i`;
    const importing = ["import", file, "--data-dir", next, "--commit-every", "40"];
    await mustEndWell(["export", file, "--data-dir", this.dataDir, "--force"]);
    await killedAfter(spawnCli(importing), this.random.below(MAX_IMPORT_MS));
    await mustEndWell(importing);
    // A chain with only its genesis block exports an empty file, from which the import creates nothing.
    if (statSync(file).size === 0) return;
    for (const name of ["wallet", "anchors"]) {
      const folder = join(this.dataDir, name);
      // The import created an empty wallet.
      removeFolder(join(next, name));
      if (existsSync(folder)) renameSync(folder, join(next, name));
    }
    removeFolder(this.dataDir);
    removeFolder(file);
    this.dataDir = next;
  }

  /** @returns its output */
  private async verify(): Promise<string> {
    const { code, stdout, stderr } = await runCli(["verify", "--data-dir", this.dataDir, ...this.modes]);
    // A node killed during its first start may have left no chain.
    if (code === 4 && !this.seen && /(has|holds) no chain/.test(stderr)) return "";
    if (code !== 0)
      throw new Error(
        `The verification ended with code ${code} (${this.modes.join(" ")}): ${stdout}${stderr}`,
      );
    return stdout + stderr;
  }

  private async checkSurvivors(node: NodeProcess, all: boolean): Promise<void> {
    const now = await heightOf(node);
    if (now < this.height) throw new Error(`The height is ${now}, and was ${this.height} before the kill`);
    this.height = now;
    this.seen = true;
    const tip = await node.client.call("GET /blocks/last");
    if (tip.height < now) throw new Error(`The tip at height ${now} is incomplete: ${tip.height}`);
    await this.feed.check(node, all);
  }
}

function spawnCli(args: readonly string[]): ChildProcess {
  return spawn(process.execPath, [cliPath, ...args], { stdio: "ignore" });
}

async function killedAfter(child: ChildProcess, milliseconds: number): Promise<void> {
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  await Promise.race([delay(milliseconds), ended]);
  child.kill("SIGKILL");
  await ended;
}

async function mustEndWell(args: readonly string[]): Promise<void> {
  const { code, stderr } = await runCli(args);
  if (code !== 0) throw new Error(`${args[0]} ended with code ${code}: ${stderr.slice(-LAST_LINES)}`);
}
