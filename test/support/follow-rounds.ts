/**
 * Kills a forging node and a node that follows it, each at its own time, while the follower fills itself or is at the
 * tip. After each round the followers must reach the node's chain again. Readers of `/events` change between all nodes.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { SeededRandom } from "../../src/testing/seeded-random.ts";
import { type TcpProxy, tcpProxy } from "../../src/testing/tcp-proxy.ts";
import { allEvents, EventReader } from "./event-reader.ts";
import { Feed } from "./kill-feed.ts";
import {
  cliPath,
  heightOf,
  type NodeProcess,
  removeFolder,
  runCli,
  startNodeProcess,
  until,
} from "./node-process.ts";

/** What a follower does when it is killed. Each has its turn. */
const moments = ["live", "filling"] as const;
type Moment = (typeof moments)[number];

const FOLLOWERS = 2;
const READERS = 2;
/** Maximum time until a kill, ms. A follower that fills itself needs about a second for its start. */
const MAX_DELAY_MS: Readonly<Record<Moment, number>> = { live: 1_500, filling: 2_500 };
/** Maximum time for which the source is away, ms. */
const MAX_AWAY_MS = 500;
/** Percentage of rounds in which the source rolls back before the kill. */
const ROLLBACK_PERCENTAGE = 30;
const MAX_ROLLBACK_BLOCKS = 3;
/** Percentage of rounds in which connections to the source break, and in which they deliver small pieces. */
const CUT_PERCENTAGE = 30;
const SLOW_PERCENTAGE = 30;
const MAX_PIECE_BYTES = 300;
/** Number of rounds after which all nodes stop and a new chain begins. */
const ROUNDS_OF_A_CHAIN = 15;
const LAST_LINES = 2_000;

export interface FollowReport {
  /** Of followers. The source is killed in each round. */
  readonly kills: Readonly<Record<Moment, number>>;
  /** Kills of the source before the follower of the same round was killed. */
  readonly sourceFirst: number;
  readonly rollbacks: number;
  readonly blocks: number;
  readonly accepted: number;
  /** Sums over all readers. */
  readonly events: number;
  readonly reverted: number;
  readonly changes: number;
  readonly unknown: number;
}

interface FollowRoundsOptions {
  readonly folder: string;
  /** Kills of the source, and of followers. */
  readonly times: number;
  readonly seed: number;
  readonly report?: (rounds: number) => void;
}

/** @throws Error that says what differs, and after which kill */
export async function followRounds({
  folder,
  times,
  seed,
  report,
}: FollowRoundsOptions): Promise<FollowReport> {
  const kills = Object.fromEntries(moments.map((moment) => [moment, 0])) as Record<Moment, number>;
  const sums = {
    sourceFirst: 0,
    rollbacks: 0,
    blocks: 0,
    accepted: 0,
    events: 0,
    reverted: 0,
    changes: 0,
    unknown: 0,
  };
  const random = new SeededRandom(seed);
  for (let done = 0; done < times; ) {
    const chain = await FollowedNode.start(join(folder, `chain-${done}`), random);
    try {
      for (let round = 0; round < ROUNDS_OF_A_CHAIN && done < times; round++) {
        const moment = moments[done % moments.length];
        await chain.kill(moment);
        kills[moment]++;
        report?.(++done);
      }
      await chain.finish(sums);
    } catch (error) {
      throw new Error(
        `round ${done + 1}: ${error instanceof Error ? error.message : error}\n${chain.output()}`,
        {
          cause: error,
        },
      );
    } finally {
      await chain.close();
    }
  }
  return { kills, ...sums };
}

class FollowedNode {
  readonly #folder: string;
  readonly #random: SeededRandom;
  /** Its address stays when the source restarts with another port. */
  readonly #proxy: TcpProxy;
  #source: NodeProcess;
  readonly #followers: (NodeProcess | undefined)[] = [];
  readonly #readers: readonly EventReader[];
  readonly #feed: Feed;
  #isOver = false;
  #rollbacks = 0;
  #sourceFirst = 0;

  static async start(folder: string, random: SeededRandom): Promise<FollowedNode> {
    const source = await startNodeProcess({ dataDir: join(folder, "source") });
    const proxy = await tcpProxy(Number(new URL(source.url).port));
    const node = new FollowedNode(folder, random, source, proxy);
    for (let i = 0; i < FOLLOWERS; i++) node.#followers.push(await node.#startFollower(i));
    return node;
  }

  private constructor(folder: string, random: SeededRandom, source: NodeProcess, proxy: TcpProxy) {
    this.#folder = folder;
    this.#random = random;
    this.#source = source;
    this.#proxy = proxy;
    this.#feed = new Feed(new SeededRandom(random.below(2 ** 31)));
    const urls = (): readonly string[] => [this.#source, ...this.#followers].flatMap((one) => one?.url ?? []);
    this.#readers = Array.from(
      { length: READERS },
      () => new EventReader(new SeededRandom(random.below(2 ** 31)), urls),
    );
  }

  /** Kills the source and a follower once. */
  async kill(moment: Moment): Promise<void> {
    const random = this.#random;
    const i = random.below(FOLLOWERS);
    let isFed = false;
    const feeding = this.#feed.run(this.#source, () => isFed || this.#isOver).catch(() => {});
    if (random.chance(ROLLBACK_PERCENTAGE)) await this.#rollBack();
    this.#proxy.pieceBytes = random.chance(SLOW_PERCENTAGE) ? 1 + random.below(MAX_PIECE_BYTES) : undefined;
    const filling = moment === "filling" ? await this.#beginFilling(i) : undefined;
    const [sourceMs, followerMs] = [random.below(MAX_DELAY_MS[moment]), random.below(MAX_DELAY_MS[moment])];
    if (sourceMs < followerMs) this.#sourceFirst++;
    const isCut = random.chance(CUT_PERCENTAGE);
    const awayMs = random.below(MAX_AWAY_MS);
    const restarting = delay(sourceMs).then(() => this.#restartSource(isCut, awayMs));
    const restartFollower = async (): Promise<void> => {
      await delay(followerMs);
      if (filling === undefined) await this.#followers[i]?.kill();
      else {
        await killed(filling);
        // A node that never followed a source cannot start without it, and asks again only after seconds.
        await restarting;
      }
      this.#followers[i] = await this.#startFollower(i);
    };
    await Promise.all([restarting, restartFollower()]);
    isFed = true;
    await feeding;
    for (const follower of this.#followers) if (follower !== undefined) await this.#mustFollow(follower);
  }

  async #beginFilling(i: number): Promise<ChildProcess> {
    await this.#followers[i]?.stop();
    this.#followers[i] = undefined;
    removeFolder(this.#followerFolder(i));
    return spawn(process.execPath, [cliPath, ...this.#followerArgs(i)], { stdio: "ignore" });
  }

  async #restartSource(isCut: boolean, awayMs: number): Promise<void> {
    if (isCut) this.#proxy.cut();
    await this.#source.kill();
    await delay(awayMs);
    this.#source = await startNodeProcess({ dataDir: join(this.#folder, "source") });
    this.#proxy.target = Number(new URL(this.#source.url).port);
  }

  /** Stops all nodes and verifies the stores. */
  async finish(sums: { -readonly [name in keyof Omit<FollowReport, "kills">]: number }): Promise<void> {
    // Without blocks, all nodes have the same events.
    const { json } = await this.#source.get("/blocks/height");
    sums.blocks += json.height - 1;
    sums.accepted += this.#feed.accepted;
    sums.rollbacks += this.#rollbacks;
    sums.sourceFirst += this.#sourceFirst;
    const [follower] = this.#followers;
    if (follower === undefined) throw new Error("no follower runs");
    await this.#mustFollow(follower);
    // A follower may have been away while the source had a block that it rolled back; the source knows all positions.
    const { url } = this.#source;
    const settled = async (reader: EventReader): Promise<void> => {
      await reader.stop();
      await reader.readAll(url);
      await until(
        `the events of ${follower.url}`,
        async () => (await reader.isKnownTo(follower.url)) || undefined,
      );
    };
    await Promise.all(this.#readers.map(settled));
    await this.#source.stop();
    const expected = await allEvents(follower.url);
    await Promise.all(this.#readers.map((reader) => reader.readAll(follower.url)));
    for (const reader of this.#readers) {
      if (JSON.stringify(reader.seen) !== JSON.stringify(expected))
        throw new Error(`a reader has ${reader.seen.length} events, the chain ${expected.length}`);
      for (const [name, count] of Object.entries(reader.counts))
        sums[name as keyof typeof reader.counts] += count;
    }
    for (const one of this.#followers) {
      const code = await one?.stop();
      if (code !== 0) throw new Error(`a follower stopped with code ${code}`);
    }
    const verify = async (name: string): Promise<void> => {
      const { code, stdout, stderr } = await runCli(["verify", "--data-dir", join(this.#folder, name)]);
      if (code !== 0) throw new Error(`verify of ${name} ended with code ${code}: ${stdout}${stderr}`);
    };
    await Promise.all(["source", ...this.#followers.map((_, i) => `follower-${i}`)].map(verify));
  }

  async close(): Promise<void> {
    this.#isOver = true;
    for (const node of [this.#source, ...this.#followers]) await node?.kill();
    await this.#proxy.close();
    removeFolder(this.#folder);
  }

  output(): string {
    return [this.#source, ...this.#followers]
      .map((node) => node?.output().slice(-LAST_LINES))
      .join("\n---\n");
  }

  #followerFolder(i: number): string {
    return join(this.#folder, `follower-${i}`);
  }

  #followerArgs(i: number): string[] {
    return [
      "start",
      "--data-dir",
      this.#followerFolder(i),
      "--api-port",
      "0",
      "--follow",
      `http://127.0.0.1:${this.#proxy.port}`,
    ];
  }

  #startFollower(i: number): Promise<NodeProcess> {
    return startNodeProcess({ dataDir: this.#followerFolder(i), args: this.#followerArgs(i).slice(5) });
  }

  async #rollBack(): Promise<void> {
    const height = await heightOf(this.#source);
    const rollbackTo = Math.max(1, height - 1 - this.#random.below(MAX_ROLLBACK_BLOCKS));
    if (rollbackTo >= height) return;
    this.#feed.rolledBackTo(rollbackTo);
    this.#rollbacks++;
    const body = { rollbackTo, returnTransactionsToUtx: this.#random.chance(50) };
    await this.#source.post("/debug/rollback", body);
  }

  /** Waits until a follower has a block that the source has too, at the source's height or above it. */
  async #mustFollow(follower: NodeProcess): Promise<void> {
    const goal = (await this.#source.get("/blocks/headers/last")).json;
    await until(`the follower to have block ${goal.height}`, async () => {
      const height = await heightOf(follower);
      if (height < goal.height) return undefined;
      const at = `/blocks/headers/at/${Math.max(1, height - 1)}`;
      const [ours, theirs] = await Promise.all([follower.get(at), this.#source.get(at)]);
      return ours.text === theirs.text ? true : undefined;
    });
  }
}

async function killed(child: ChildProcess): Promise<void> {
  const ended = new Promise<void>((resolve) => child.on("close", () => resolve()));
  if (child.exitCode !== null) return;
  child.kill("SIGKILL");
  await ended;
}
