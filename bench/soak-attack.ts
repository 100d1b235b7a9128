/**
 * Floods of every kind at once against a forging node, started as an operator would, while somebody broadcasts:
 * `npm run soak:attack -- --minutes 30`. First the same without them, for a fifth of that time. Wanted: blocks within
 * twice the quiet times, 99 of 100 light reads within 250 ms, memory within the bound, and every accepted
 * transaction in a block or waiting at the end.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, request } from "node:http";
import { setPriority, tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { addressOf, addressText } from "../src/crypto/addresses.ts";
import { SeededRandom } from "../src/testing/seeded-random.ts";
import { signedRequest, walletKeys } from "../test/support/sign-request.ts";
import { CHAIN_ID, costlyScript, LTO, longData, SCRIPTED, scriptedKeys } from "./attack-setup.ts";
import { serve } from "./support.ts";

const KINDS = ["scripts", "signatures", "reads", "connections"];
const given = new Map<string, string>();
for (let i = 2; i < process.argv.length; i += 2)
  given.set(process.argv[i] as string, process.argv[i + 1] ?? "");
const minutes = Number(given.get("--minutes") ?? 30);
const seed = Number(given.get("--seed") ?? Math.floor(Math.random() * 2 ** 31));
const kinds = given.get("--only")?.split(",") ?? KINDS;
const known = [...given.keys()].every((name) => ["--minutes", "--seed", "--only"].includes(name));
if (!known || !(minutes > 0) || !(seed >= 0) || !kinds.every((kind) => KINDS.includes(kind))) {
  console.error(`Usage: npm run soak:attack -- --minutes N [--seed N] [--only ${KINDS.join(",")}]`);
  process.exit(2);
}

const WANTED_LIGHT_MS = 250;
const WANTED_BLOCKS = 2;
/**
 * What the node may come to, MB: heaps of the HTTP thread (768) and of a reading thread (512), answers that wait (160),
 * the pool with what is known of its transactions (256), the writer and the code (350).
 */
const MEMORY_BOUND_MB = 2_048;
/** Attackers have machines of their own in earnest: here they take what the node and its clients leave. */
const PRIORITY = 10;
/** One transaction of the feeder in so many ms. */
const FEED_MS = 50;
/** One light read in so many ms, whether or not the one before was answered. */
const PROBE_MS = 25;

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const worker = fileURLToPath(new URL("./attack-worker.js", import.meta.url));
const home = mkdtempSync(join(tmpdir(), "holdfast-attack-"));
const random = new SeededRandom(seed);
const root = walletKeys("root");
console.log(`Seed ${seed}; ${minutes} minutes, the first fifth of them quiet`);
const { url, process: node } = await serve([cli, "start", "--data-dir", home, "--api-port", "0"]);
let ended: string | undefined;
node.once("exit", (code, signal) => {
  ended = `The node ended: ${signal ?? code}`;
});

interface Answer {
  readonly status: number;
  readonly text: string;
}

/** Status 0: no answer within a minute, or none at all. */
function ask(agent: Agent, method: "GET" | "POST", path: string, body?: string): Promise<Answer> {
  return new Promise((resolve) => {
    const asked = request(url + path, { method, agent }, (answer) => {
      const parts: Buffer[] = [];
      answer.on("data", (part: Buffer) => parts.push(part));
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, text: Buffer.concat(parts).toString() }),
      );
      answer.on("error", () => resolve({ status: 0, text: "" }));
    });
    asked.setTimeout(60_000, () => asked.destroy());
    asked.on("error", () => resolve({ status: 0, text: "" }));
    if (body !== undefined) asked.setHeader("content-type", "application/json");
    asked.end(body);
  });
}

const feeding = new Agent({ keepAlive: true, maxSockets: 64 });
const probing = new Agent({ keepAlive: true, maxSockets: 64 });
const get = async <T>(path: string): Promise<T> => JSON.parse((await ask(feeding, "GET", path)).text) as T;
const broadcast = (fields: Record<string, unknown>, keys = root): Promise<Answer> =>
  ask(feeding, "POST", "/transactions/broadcast", signedRequest(fields, keys, CHAIN_ID));
const heightNow = async (): Promise<number> => (await get<{ height: number }>("/blocks/height")).height;

async function until(what: string, so: () => Promise<boolean>): Promise<void> {
  for (let i = 0; i < 1_200; i++) {
    if (await so()) return;
    await delay(100);
  }
  throw new Error(`Not within two minutes: ${what}`);
}

async function mustTake(answer: Answer): Promise<string> {
  if (answer.status !== 200) throw new Error(`Refused: ${answer.text}`);
  return (JSON.parse(answer.text) as { id: string }).id;
}

const isInBlock = async (id: string): Promise<boolean> =>
  (await ask(feeding, "GET", `/transactions/info/${id}`)).status === 200;

/** Accounts with costly scripts, and blocks that are long to read. */
async function setUp(): Promise<void> {
  const keys = Array.from({ length: SCRIPTED }, (_, i) => scriptedKeys(i));
  await until("a block", async () => (await heightNow()) > 1);
  let last = "";
  for (const { publicKey } of keys) {
    const recipient = addressText(addressOf(publicKey, CHAIN_ID));
    last = await mustTake(await broadcast({ type: 4, recipient, amount: 1_000 * LTO, fee: LTO }));
  }
  await until("the accounts in a block", () => isInBlock(last));
  for (const [i, pair] of keys.entries())
    last = await mustTake(await broadcast({ type: 13, script: costlyScript(i), fee: 10 * LTO }, pair));
  for (let serial = 0; serial < 400; serial++) last = await mustTake(await broadcast(longData(serial)));
  await until("the scripts in a block", () => isInBlock(last));
}

const light = ["/blocks/height", "/node/version", "/blocks/headers/last", "/transactions/unconfirmed/size"];
/** Ids of what the feeder had accepted, with the time. */
const accepted = new Map<string, number>();
const refused: Record<string, number> = {};

interface Phase {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly reads: number[];
  readonly memory: number;
}

function memory(): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${node.pid}/status`, "utf8"))?.[1]) / 1_024;
  } catch {
    // Gone, or not Linux.
    return Number.NaN;
  }
}

/** Feeds, asks for small things and looks at the memory for so long. */
async function phase(name: string, ms: number): Promise<Phase> {
  const from = Date.now();
  const reads: number[] = [];
  let most = memory();
  const waiting = new Set<Promise<unknown>>();
  const beside = (work: Promise<unknown>): void => {
    waiting.add(work);
    work.finally(() => waiting.delete(work));
  };
  const feed = setInterval(() => {
    const recipient = addressText(addressOf(walletKeys("fed", random.below(50)).publicKey, CHAIN_ID));
    const sent = broadcast({ type: 4, recipient, amount: 1 + random.below(2 ** 30), fee: LTO });
    beside(
      sent.then(({ status, text }) => {
        if (status === 200) accepted.set((JSON.parse(text) as { id: string }).id, Date.now());
        else refused[status] = (refused[status] ?? 0) + 1;
      }),
    );
  }, FEED_MS);
  const probe = setInterval(() => {
    const begun = performance.now();
    beside(
      ask(probing, "GET", random.pick(light)).then(({ status }) => {
        reads.push(status === 200 ? performance.now() - begun : 60_000);
      }),
    );
  }, PROBE_MS);
  for (const end = performance.now() + ms; performance.now() < end && ended === undefined; ) {
    await delay(500);
    most = Math.max(most, memory());
  }
  clearInterval(feed);
  clearInterval(probe);
  await Promise.all(waiting);
  if (ended !== undefined) throw new Error(ended);
  return { name, from, to: Date.now(), reads, memory: most };
}

/** The figure below which so many of a hundred lie. */
function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * share) / 100))] ?? Number.NaN;
}

const mean = (figures: readonly number[]): number =>
  figures.reduce((sum, one) => sum + one, 0) / figures.length;

/** Seconds between the key blocks made in a phase. */
async function blockTimes({ from, to }: Phase): Promise<number[]> {
  const headers: { timestamp: number }[] = [];
  const top = await heightNow();
  for (let low = 2; low <= top; low += 100)
    headers.push(
      ...(await get<{ timestamp: number }[]>(`/blocks/headers/seq/${low}/${Math.min(top, low + 99)}`)),
    );
  const times = headers.map(({ timestamp }) => timestamp).filter((time) => time >= from && time <= to);
  return times.slice(1).map((time, i) => (time - (times[i] as number)) / 1_000);
}

const processes = new Set<ReturnType<typeof spawn>>();

/** Attackers of a kind, each kind in a process; what they say they did. */
async function attackers(kind: string, seconds: number): Promise<string> {
  const args = [worker, kind, `${url}/`, String(seconds), String(random.below(2 ** 31))];
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  processes.add(child);
  if (child.pid !== undefined) setPriority(child.pid, PRIORITY);
  let said = "";
  child.stdout.on("data", (part) => {
    said += part;
  });
  await new Promise((resolve) => child.once("close", resolve));
  processes.delete(child);
  return `${kind} ${said.trim()}`;
}

let failures = 0;
const say = (isRight: boolean, text: string): void => {
  if (!isRight) failures++;
  console.log(`${isRight ? "      " : "WRONG "}${text}`);
};

try {
  await setUp();
  const total = minutes * 60_000;
  const quiet = await phase("quiet", total / 5);
  const seconds = Math.ceil((total * 4) / 5_000);
  const attacking = kinds.map((kind) => attackers(kind, seconds));
  const attacked = await phase("attacked", seconds * 1_000);
  for (const said of await Promise.all(attacking)) console.log(`      ${said}`);
  await delay(5_000);
  const after = memory();

  const intervals: number[] = [];
  for (const one of [quiet, attacked]) {
    const times = await blockTimes(one);
    intervals.push(mean(times));
    console.log(
      `      ${one.name.padEnd(9)} ${times.length} blocks, mean ${mean(times).toFixed(1)} s, longest ${Math.max(...times).toFixed(1)} s;  ` +
        `${one.reads.length} light reads, median ${percentile(one.reads, 50).toFixed(1)} ms, p99 ${percentile(one.reads, 99).toFixed(0)} ms, ` +
        `longest ${Math.max(...one.reads).toFixed(0)} ms;  memory ${one.memory.toFixed(0)} MB`,
    );
  }
  const [quietMean = Number.NaN, attackedMean = Number.NaN] = intervals;
  const ratio = attackedMean / quietMean;
  say(ratio <= WANTED_BLOCKS, `blocks: ${ratio.toFixed(2)} times the quiet ones (wanted: ${WANTED_BLOCKS})`);
  const p99 = percentile(attacked.reads, 99);
  say(
    p99 <= WANTED_LIGHT_MS,
    `light reads: 99 of 100 within ${p99.toFixed(0)} ms (wanted: ${WANTED_LIGHT_MS})`,
  );
  say(
    !(attacked.memory > MEMORY_BOUND_MB),
    `memory: ${attacked.memory.toFixed(0)} MB at most, ${after.toFixed(0)} MB behind it (bound: ${MEMORY_BOUND_MB})`,
  );
  let inBlocks = 0;
  let waiting = 0;
  const lost: string[] = [];
  for (const id of accepted.keys()) {
    const isWaiting = (await ask(feeding, "GET", `/transactions/unconfirmed/info/${id}`)).status === 200;
    // Asked last: it goes from the pool into a block, and not back.
    if (await isInBlock(id)) inBlocks++;
    else if (isWaiting) waiting++;
    else lost.push(id);
  }
  say(
    lost.length === 0,
    `feeder: ${accepted.size} accepted, ${inBlocks} in blocks, ${waiting} waiting, ${lost.length} lost; refused ${JSON.stringify(refused)}`,
  );
} finally {
  for (const child of processes) child.kill("SIGTERM");
  feeding.destroy();
  probing.destroy();
  if (ended === undefined) {
    const begun = performance.now();
    const ending = new Promise((resolve) => node.once("exit", resolve));
    node.kill("SIGTERM");
    const code = await ending;
    say(code === 0, `stopped with code ${code} after ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  }
  rmSync(home, { recursive: true, force: true });
}
process.exitCode = failures === 0 ? 0 : 1;
