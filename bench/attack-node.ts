/**
 * The attacked node: started as an operator would start it, fed with transactions, queried with light reads, and
 * measured.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { setTimeout as delay } from "node:timers/promises";
import { addressText } from "../src/crypto/addresses.ts";
import type { SeededRandom } from "../src/testing/seeded-random.ts";
import { signedRequest, walletKeys } from "../test/support/sign-request.ts";
import {
  addressOfKeys,
  CHAIN_ID,
  costlyScript,
  LTO,
  longData,
  SCRIPTED,
  scriptedKeys,
} from "./attack-setup.ts";
import { plainEnvironment } from "./support.ts";

/** The feeder's interval between transactions, ms. */
const FEED_MS = 50;
/** Interval between light reads, ms. A read does not wait for the previous answer. */
const PROBE_MS = 25;
/** Response timeout, ms. A missing answer counts as one that took this long. */
const ANSWER_MS = 60_000;
/** Timeouts for starting and stopping a node, ms. */
const START_MS = 120_000;
const STOP_MS = 60_000;

const light = ["/blocks/height", "/node/version", "/blocks/headers/last", "/transactions/unconfirmed/size"];
const root = walletKeys("root");

export interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Measurements of one phase. */
export interface Phase {
  /** Timestamp, ms. */
  readonly from: number;
  readonly to: number;
  /** Duration of each light read, ms. */
  readonly reads: readonly number[];
  /** Peak resident memory, MB; NaN if unknown. */
  readonly memory: number;
}

export interface StartOptions {
  readonly cli: string;
  readonly home: string;
  readonly settings: readonly string[];
  /** Limit of its file handles; by default the limit of this process. */
  readonly handles?: number | undefined;
}

export class AttackedNode {
  /** Ids of the feeder's accepted transactions. */
  readonly accepted = new Set<string>();
  readonly refused: Record<string, number> = {};
  readonly #feeding = new Agent({ keepAlive: true, maxSockets: 64 });
  readonly #probing = new Agent({ keepAlive: true, maxSockets: 64 });
  #ended: string | undefined;
  readonly #exit: Promise<unknown>;

  private constructor(
    readonly url: string,
    readonly p2pPort: number,
    private readonly child: ChildProcess,
    private readonly random: SeededRandom,
  ) {
    this.#exit = once(child, "exit");
    child.once("exit", (code, signal) => {
      this.#ended = `${signal ?? `code ${code}`}`;
    });
  }

  /** Starts the node and waits until it prints its address. @throws Error after two minutes */
  static async start(
    { cli, home, settings, handles }: StartOptions,
    random: SeededRandom,
  ): Promise<AttackedNode> {
    const args = [cli, "start", "--data-dir", home, "--api-port", "0", ...settings];
    const limited = ["-c", `ulimit -n ${handles} && exec "$@"`, "sh", process.execPath, ...args];
    const child = spawn(
      handles === undefined ? process.execPath : "sh",
      handles === undefined ? args : limited,
      {
        stdio: ["ignore", "pipe", "pipe"],
        env: plainEnvironment(),
      },
    );
    let output = "";
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (part) => {
        if (output.length < 100_000) output += part;
      });
    const isWithPeers = settings.includes("--p2p-port");
    for (const end = performance.now() + START_MS; ; await delay(50)) {
      const url = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      const port = /Peers can connect at 127\.0\.0\.1:(\d+)/.exec(output)?.[1];
      if (url !== undefined && (!isWithPeers || port !== undefined))
        return new AttackedNode(url, Number(port ?? 0), child, random);
      if (child.exitCode !== null || child.signalCode !== null || performance.now() > end) {
        child.kill("SIGKILL");
        throw new Error(`The node did not start:\n${output}`);
      }
    }
  }

  /** The reason why the node ended unexpectedly; undefined while it runs. */
  get ended(): string | undefined {
    return this.#ended;
  }

  /** Peak resident memory since the last reset, MB. */
  #peak(): number {
    return this.#memory("VmHWM");
  }

  #memory(name: string): number {
    try {
      const text = readFileSync(`/proc/${this.child.pid}/status`, "utf8");
      return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(text)?.[1]) / 1_024;
    } catch {
      // The process has ended, or the system is not Linux.
      return Number.NaN;
    }
  }

  #resetPeak(): void {
    try {
      writeFileSync(`/proc/${this.child.pid}/clear_refs`, "5");
    } catch {
      // Not Linux, or no permission: the peak covers the time since the start.
    }
  }

  /** Returns status 0 if there is no answer within a minute, including the time to connect. */
  ask(method: "GET" | "POST", path: string, body?: string, agent = this.#feeding): Promise<Answer> {
    return new Promise((resolve) => {
      const asked = request(this.url + path, { method, agent }, (answer) => {
        const parts: Buffer[] = [];
        answer.on("data", (part: Buffer) => parts.push(part));
        answer.on("end", () => done(answer.statusCode ?? 0, Buffer.concat(parts).toString()));
        answer.on("error", () => done(0));
      });
      const impatience = setTimeout(() => asked.destroy(), ANSWER_MS);
      const done = (status: number, text = ""): void => {
        clearTimeout(impatience);
        resolve({ status, text });
      };
      asked.on("error", () => done(0));
      if (body !== undefined) asked.setHeader("content-type", "application/json");
      asked.end(body);
    });
  }

  async get<T>(path: string): Promise<T> {
    return JSON.parse((await this.ask("GET", path)).text) as T;
  }

  broadcast(fields: Record<string, unknown>, keys = root): Promise<Answer> {
    return this.ask("POST", "/transactions/broadcast", signedRequest(fields, keys, CHAIN_ID));
  }

  async height(): Promise<number> {
    return (await this.get<{ height: number }>("/blocks/height")).height;
  }

  async #until(what: string, so: () => Promise<boolean>): Promise<void> {
    for (let i = 0; i < 1_200; i++) {
      if (await so()) return;
      await delay(100);
    }
    throw new Error(`Timeout after two minutes: ${what}`);
  }

  async isInBlock(id: string): Promise<boolean> {
    return (await this.ask("GET", `/transactions/info/${id}`)).status === 200;
  }

  /** Waits for a block forged by the node before the quiet phase begins. */
  async untilItForges(): Promise<void> {
    const before = await this.height();
    await this.#until("a block", async () => (await this.height()) > before);
  }

  /** Returns true if the node answers within the given time, or within a minute after it. */
  async answersWithin(ms: number): Promise<boolean> {
    for (const end = performance.now() + ms; this.#ended === undefined && performance.now() < end; )
      if ((await this.ask("GET", "/blocks/height")).status === 200) return true;
      else await delay(500);
    return false;
  }

  /** Adds accounts with expensive scripts, and blocks that are long to read. */
  async setUpFloods(): Promise<void> {
    const mustTake = async (answer: Answer): Promise<string> => {
      if (answer.status !== 200) throw new Error(`Refused: ${answer.text}`);
      return (JSON.parse(answer.text) as { id: string }).id;
    };
    const keys = Array.from({ length: SCRIPTED }, (_, i) => scriptedKeys(i));
    let last = "";
    for (const pair of keys) {
      const recipient = addressText(addressOfKeys(pair));
      last = await mustTake(await this.broadcast({ type: 4, recipient, amount: 1_000 * LTO, fee: LTO }));
    }
    await this.#until("the accounts in a block", () => this.isInBlock(last));
    for (const [i, pair] of keys.entries())
      last = await mustTake(await this.broadcast({ type: 13, script: costlyScript(i), fee: 10 * LTO }, pair));
    for (let serial = 0; serial < 400; serial++)
      last = await mustTake(await this.broadcast(longData(serial)));
    await this.#until("the scripts in a block", () => this.isInBlock(last));
  }

  /** Sends transactions and light reads for the given time, or until the node ends. */
  async phase(ms: number): Promise<Phase> {
    this.#resetPeak();
    const from = Date.now();
    const reads: number[] = [];
    let most = this.#peak();
    const waiting = new Set<Promise<unknown>>();
    const beside = (work: Promise<unknown>): void => {
      waiting.add(work);
      work.finally(() => waiting.delete(work));
    };
    const feed = setInterval(() => beside(this.#feed()), FEED_MS);
    const probe = setInterval(() => {
      const begun = performance.now();
      beside(
        this.ask("GET", this.random.pick(light), undefined, this.#probing).then(({ status }) => {
          reads.push(status === 200 ? performance.now() - begun : ANSWER_MS);
        }),
      );
    }, PROBE_MS);
    for (const end = performance.now() + ms; performance.now() < end && this.#ended === undefined; ) {
      await delay(200);
      most = Math.max(most, this.#peak() || 0);
    }
    clearInterval(feed);
    clearInterval(probe);
    await Promise.all(waiting);
    return { from, to: from + ms, reads, memory: most };
  }

  async #feed(): Promise<void> {
    const recipient = addressText(addressOfKeys(walletKeys("fed", this.random.below(50))));
    const amount = 1 + this.random.below(2 ** 30);
    const { status, text } = await this.broadcast({ type: 4, recipient, amount, fee: LTO });
    if (status === 200) this.accepted.add((JSON.parse(text) as { id: string }).id);
    else this.refused[status] = (this.refused[status] ?? 0) + 1;
  }

  /** Timestamps of the chain's key blocks in a period and of the last one before it: ms, in order. */
  async blockTimes({ from, to }: Phase): Promise<number[]> {
    const times: number[] = [];
    for (let top = await this.height(); top > 1; top -= 100) {
      const low = Math.max(2, top - 99);
      const headers = await this.get<{ timestamp: number }[]>(`/blocks/headers/seq/${low}/${top}`);
      times.unshift(...headers.map(({ timestamp }) => timestamp));
      if ((times[0] as number) < from) break;
    }
    const first = times.findIndex((time) => time >= from);
    return first < 0 ? times.slice(-1) : times.slice(Math.max(0, first - 1)).filter((time) => time <= to);
  }

  /** Returns the number of accepted transactions that are neither in blocks nor in the pool. */
  async lost(ids: Iterable<string>): Promise<number> {
    let lost = 0;
    for (const id of ids) {
      const isWaiting = (await this.ask("GET", `/transactions/unconfirmed/info/${id}`)).status === 200;
      // Query the pool last: transactions move from the pool to a block, not back.
      if (!(await this.isInBlock(id)) && !isWaiting) lost++;
    }
    return lost;
  }

  /** Kills the node. */
  kill(): void {
    this.child.kill("SIGKILL");
  }

  /** Stops the node, by force after a timeout. @returns how it ended */
  async stop(): Promise<string> {
    this.#feeding.destroy();
    this.#probing.destroy();
    if (this.#ended !== undefined) return this.#ended;
    this.child.kill("SIGTERM");
    const inTime = await Promise.race([this.#exit.then(() => true), delay(STOP_MS, false, { ref: false })]);
    if (inTime) return this.#ended ?? "";
    this.child.kill("SIGKILL");
    await this.#exit;
    return "killed: it did not stop within a minute";
  }
}
