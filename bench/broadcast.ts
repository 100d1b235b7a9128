/**
 * Measures the transactions per second that a forging node accepts over HTTP, what each costs the writer thread from
 * the request until a micro block contains it, and whether forging missed a slot. The node is a separate process on the
 * development network.
 * `npm run bench -- broadcast --base=/path/of/another/clone` alternates with the node of another built clone and
 * compares the costs pair by pair. `--base-options=--no-index-richest,--no-index-largest-transfers` gives these options
 * to the other node, which by default is of this clone. `HOLDFAST_BENCH_TRANSACTIONS` (6000), `HOLDFAST_BENCH_TURNS`
 * (5) and `HOLDFAST_BENCH_CONNECTIONS` (32) change the figures. The cost is available on Linux only.
 */
import type { ChildProcess } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { parseJson, printJson } from "../src/bytes/json.ts";
import { encodeUtf8 } from "../src/bytes/utf8.ts";
import { accountSeed, keyPairFromAccountSeed } from "../src/crypto/seeds.ts";
import { DEV_SEED_TEXT } from "../src/profiles/dev.ts";
import { signTransaction, transactionFromRequest, transactionJson } from "../src/transactions/index.ts";
import { median, serve } from "./support.ts";

const TRANSACTIONS = Number(process.env.HOLDFAST_BENCH_TRANSACTIONS ?? 6_000);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 5);
const CONNECTIONS = Number(process.env.HOLDFAST_BENCH_CONNECTIONS ?? 32);
/** Warm-up transactions, sent before the measurement so that the code is compiled. */
const WARM_UP = 2_000;
const CHAIN_ID = "Z".charCodeAt(0);
const RECIPIENT = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
/** The forger waits a second longer than the protocol requires. */
const EXTRA_DELAY_MS = 1_000;
/** A key block that is later than this has missed its slot. */
const LATE_MS = 250;

function optionValue(name: string): string | undefined {
  return process.argv.find((argument) => argument.startsWith(`${name}=`))?.slice(name.length + 1);
}

const baseOptions = optionValue("--base-options")?.split(",") ?? [];
const own = fileURLToPath(new URL("../..", import.meta.url));

/** A built clone and the options of its node. */
interface Variant {
  readonly name: "this" | "base";
  readonly clone: string;
  readonly options: readonly string[];
}

const variants: Variant[] = [{ name: "this", clone: own, options: [] }];
if (process.argv.some((argument) => argument.startsWith("--base")))
  variants.unshift({ name: "base", clone: optionValue("--base") ?? own, options: baseOptions });

interface Figures {
  /** Transactions per second, from the first request to the last answer. */
  readonly rate: number;
  /** Processor time of the node's main thread per transaction, microseconds. */
  readonly writerUs: number;
  /** Key blocks in that time, the delay of the latest one (ms), and the number of missed slots. */
  readonly blocks: number;
  readonly latestMs: number;
  readonly missed: number;
}

const keyPair = keyPairFromAccountSeed(accountSeed(encodeUtf8(DEV_SEED_TEXT), 0));

/** Signed transfers as request bodies. */
function transfers(count: number, now: number): string[] {
  return Array.from({ length: count }, (_, i) => {
    const json = {
      type: 4,
      timestamp: now - i,
      senderPublicKey: encodeBase58(keyPair.publicKey),
      recipient: RECIPIENT,
      amount: 1 + i,
      fee: 100_000_000,
    };
    const built = transactionFromRequest(parseJson(JSON.stringify(json)), {
      network: { chainId: CHAIN_ID, payment: true },
    });
    if (!built.ok) throw new Error("The generated request is invalid");
    return printJson(transactionJson(signTransaction(built.value.transaction, keyPair)));
  });
}

/** Time that the main thread of a process spent on a processor, in microseconds (the system reports nanoseconds). */
function mainThreadTime({ pid }: ChildProcess): number {
  const path = `/proc/${pid}/task/${pid}/schedstat`;
  return existsSync(path) ? Number(readFileSync(path, "utf8").split(" ")[0]) / 1_000 : Number.NaN;
}

class RunningNode {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS + 1 });
  constructor(
    readonly child: ChildProcess,
    readonly url: string,
  ) {}

  static async start({ clone, options }: Variant, home: string): Promise<RunningNode> {
    const args = [join(clone, "dist", "cli.js"), "start", "--data-dir", home, "--api-port", "0", ...options];
    const { process: child, url } = await serve(args);
    return new RunningNode(child, url);
  }

  ask(path: string, body?: string): Promise<string> {
    return new Promise((resolve, reject) => {
      const call = request(
        this.url + path,
        {
          agent: this.#agent,
          method: body === undefined ? "GET" : "POST",
          headers: body === undefined ? {} : { "content-type": "application/json" },
        },
        (answer) => {
          let text = "";
          answer.setEncoding("utf8");
          answer.on("data", (chunk: string) => {
            text += chunk;
          });
          answer.on("end", () =>
            answer.statusCode === 200 ? resolve(text) : reject(new Error(`${path}: ${text}`)),
          );
        },
      );
      call.on("error", reject);
      call.end(body);
    });
  }

  async json<T>(path: string): Promise<T> {
    return JSON.parse(await this.ask(path)) as T;
  }

  /** Broadcasts all bodies with this many concurrent connections. */
  async broadcast(bodies: readonly string[]): Promise<void> {
    let next = 0;
    const connection = async (): Promise<void> => {
      for (let body = bodies[next++]; body !== undefined; body = bodies[next++])
        await this.ask("/transactions/broadcast", body);
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, connection));
  }

  /** Waits until every transaction is in a block. */
  async packed(): Promise<void> {
    while ((await this.json<{ size: number }>("/transactions/unconfirmed/size")).size > 0) await delay(50);
  }

  async stop(): Promise<void> {
    const ended = new Promise((resolve) => this.child.once("exit", resolve));
    this.child.kill("SIGTERM");
    await ended;
    this.#agent.destroy();
  }
}

/** Records when each key block was due and when it arrived, while it runs. */
class SlotWatch {
  readonly #due = new Map<number, number>();
  readonly lateness: number[] = [];
  #ended = false;
  readonly #watching: Promise<void>;

  constructor(node: RunningNode) {
    this.#watching = this.#watch(node);
  }

  async #watch(node: RunningNode): Promise<void> {
    for (;;) {
      const { height } = await node.json<{ height: number }>("/blocks/height");
      if (!this.#due.has(height + 1)) {
        const [info] = await node.json<{ timestamp: number }[]>("/debug/minerInfo");
        const again = await node.json<{ height: number }>("/blocks/height");
        if (again.height === height && info !== undefined)
          this.#due.set(height + 1, info.timestamp + EXTRA_DELAY_MS);
      }
      const due = this.#due.get(height);
      if (due !== undefined) {
        this.#due.delete(height);
        const { timestamp } = await node.json<{ timestamp: number }>(`/blocks/headers/at/${height}`);
        this.lateness.push(timestamp - due);
      }
      if (this.#ended) return;
      await delay(100);
    }
  }

  async end(): Promise<void> {
    this.#ended = true;
    await this.#watching;
  }
}

async function measure(variant: Variant): Promise<Figures> {
  const home = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const node = await RunningNode.start(variant, home);
  try {
    const bodies = transfers(WARM_UP + TRANSACTIONS, Date.now());
    while ((await node.json<{ height: number }>("/blocks/height")).height < 2) await delay(100);
    await node.broadcast(bodies.slice(0, WARM_UP));
    await node.packed();
    const slots = new SlotWatch(node);
    const before = mainThreadTime(node.child);
    const begun = performance.now();
    await node.broadcast(bodies.slice(WARM_UP));
    const ms = performance.now() - begun;
    await node.packed();
    const writerUs = (mainThreadTime(node.child) - before) / TRANSACTIONS;
    await slots.end();
    return {
      rate: (TRANSACTIONS * 1_000) / ms,
      writerUs,
      blocks: slots.lateness.length,
      latestMs: Math.max(0, ...slots.lateness),
      missed: slots.lateness.filter((late) => late > LATE_MS).length,
    };
  } finally {
    await node.stop();
    rmSync(home, { recursive: true, force: true });
  }
}

const results = { this: [] as Figures[], base: [] as Figures[] };
console.log("turn  node        transactions/s   µs of the writer   key blocks   latest (ms)   slots missed");
for (let turn = 1; turn <= TURNS; turn++) {
  for (const variant of variants) {
    const figures = await measure(variant);
    results[variant.name].push(figures);
    const { rate, writerUs, blocks, latestMs, missed } = figures;
    console.log(
      `${String(turn).padStart(4)}  ${variant.name.padEnd(8)} ${Math.round(rate).toLocaleString("en").padStart(17)} ${writerUs.toFixed(1).padStart(18)} ${String(blocks).padStart(12)} ${String(latestMs).padStart(13)} ${String(missed).padStart(14)}`,
    );
  }
}
const line = (figures: readonly Figures[]): string =>
  `${Math.round(median(figures.map(({ rate }) => rate))).toLocaleString("en")} transactions/s, ${median(figures.map(({ writerUs }) => writerUs)).toFixed(1)} µs of the writer each, ${figures.reduce((sum, { missed }) => sum + missed, 0)} slots missed`;
console.log(`\nthis: ${line(results.this)}`);
if (variants.length > 1) {
  const ratios = results.this.map(
    ({ writerUs }, turn) => writerUs / (results.base[turn]?.writerUs ?? Number.NaN),
  );
  console.log(`base: ${line(results.base)}`);
  console.log(`cost of the writer, pair by pair: ${(100 * median(ratios)).toFixed(1)} %`);
}
