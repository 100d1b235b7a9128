/**
 * What requests cost the node against bare Fastify routes that answer the same bytes from memory, in the same run and
 * in alternating turns. Both are processes of their own; the node has imported the recorded chain `eras`, and each route
 * is asked for several things by turns. Requests a second depend on what else the machine does; the processor time that
 * a request costs the server hardly does, and decides (Linux only). `first` is what a request costs the node that it
 * was not asked before.
 *
 * `HOLDFAST_BENCH_TURNS` (3), `HOLDFAST_BENCH_SECONDS` (2) and `HOLDFAST_BENCH_CHAIN` (a folder of recorded chains)
 * change the figures. Names of routes behind `--only=` leave the others out: `--only=/blocks/last,/hash/:hash`.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { decodeBase58, MAX_BASE58_BYTES } from "../src/bytes/base58.ts";
import { encodeHex } from "../src/bytes/hex.ts";
import type { BareAnswers } from "./api-bare-worker.ts";
import { inHome, median, plainEnvironment, type Served, serve, share, whole } from "./support.ts";

const CONNECTIONS = 32;
const SECONDS = Number(process.env.HOLDFAST_BENCH_SECONDS ?? 2);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
const CHAIN = process.env.HOLDFAST_BENCH_CHAIN ?? "eras";
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
/** How many things each route is asked for, where it takes a parameter. */
const SUBJECTS = 24;
/** Length of a tick in `/proc/<pid>/stat`, in microseconds. */
const TICK_US = 10_000;

/** A route, and what it is asked for. */
interface Asked {
  readonly route: string;
  readonly urls: readonly string[];
  /** Part of the bare route's speed that is wanted. */
  readonly wanted: number;
}

/** Members of answers that are used here. */
interface KnownTransaction {
  readonly id: string;
  readonly sender?: string;
  readonly anchors?: readonly string[] | object;
}
interface KnownBlock {
  readonly height: number;
  readonly transactions: readonly KnownTransaction[];
}

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const wanted = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);

/** So many of them, from all over the list. */
function spread<T>(list: readonly T[], count: number): T[] {
  const step = Math.max(list.length / count, 1);
  return Array.from({ length: Math.min(count, list.length) }, (_, i) => list[Math.floor(i * step)] as T);
}

/** What the chain of the node has to ask for. */
async function subjects({ url }: Served): Promise<Asked[]> {
  const json = async (path: string) => (await fetch(url + path)).json();
  // As the routes answer.
  const { height } = (await json("/blocks/height")) as { height: number };
  const blocks: KnownBlock[] = [];
  for (let from = 2; from <= height; from += 100)
    blocks.push(...((await json(`/blocks/seq/${from}/${from + 99}`)) as KnownBlock[]));
  const transactions = blocks.flatMap((block) => block.transactions);
  const counts = new Map<string, number>();
  for (const { sender } of transactions)
    if (sender !== undefined) counts.set(sender, (counts.get(sender) ?? 0) + 1);
  const accounts = [...counts].sort(([, a], [, b]) => b - a).map(([address]) => address);
  const busy = accounts.filter((address) => (counts.get(address) ?? 0) >= 100);
  const crowded = [...blocks].sort(
    (a, b) => Math.abs(a.transactions.length - 110) - Math.abs(b.transactions.length - 110),
  );
  const hashes = transactions.flatMap(({ anchors }) => (Array.isArray(anchors) ? anchors.slice(0, 1) : []));
  const of = (route: string, values: readonly (string | number)[], part: number): Asked => ({
    route,
    urls: spread(values, SUBJECTS).map((value) => route.replace(/:\w+/, String(value))),
    wanted: part,
  });
  return [
    of("/blocks/height", [""], 0.6),
    of("/node/status", [""], 0.6),
    of("/addresses/balance/:address", accounts, 0.6),
    of("/addresses/balance/details/:address", accounts, 0.6),
    of(
      "/transactions/info/:id",
      transactions.map(({ id }) => id),
      0.6,
    ),
    of(
      "/hash/:hash",
      hashes.map((hash) => encodeHex(decodeBase58(hash, MAX_BASE58_BYTES))),
      0.6,
    ),
    of("/blocks/last", [""], 0.6),
    of(
      "/blocks/at/:height",
      crowded.slice(0, 10).map((block) => block.height),
      0.3,
    ),
    of("/transactions/address/:address?limit=100", busy.length > 0 ? busy : accounts, 0.3),
  ];
}

/** Asks the node for all of it, and has a bare server answer the same. */
async function bareServer(node: Served, asked: readonly Asked[], home: string): Promise<Served> {
  const answers: Record<string, BareAnswers["answers"][string]> = {};
  for (const url of asked.flatMap(({ urls }) => urls)) {
    const answer = await fetch(node.url + url);
    if (answer.status !== 200) throw new Error(`${url}: status ${answer.status}`);
    answers[url] = { type: answer.headers.get("content-type") ?? "", body: await answer.text() };
  }
  const routes = asked.map(({ route }) => route.split("?", 1)[0] as string);
  const file = join(home, "answers.json");
  writeFileSync(file, JSON.stringify({ routes, answers } satisfies BareAnswers));
  return serve([here("./api-bare-worker.js"), file]);
}

/** Processor time of a process so far, in microseconds; not a number where the system does not tell. */
function processorTime({ process: { pid } }: Served): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  // The name in brackets may hold anything; user and system time are the 12th and 13th words behind it.
  const words = readFileSync(path, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(words[11]) + Number(words[12])) * TICK_US;
}

let serial = 0;

interface Figures {
  /** Requests a second, and bytes of an answer with its head. */
  readonly rate: number;
  readonly bytes: number;
  /** Processor time of a request, microseconds. */
  readonly cost: number;
}

/** @param isNew whether each request is to be one that was never made before: with a query that nobody reads */
async function measure(
  served: Served,
  { urls, route }: Asked,
  seconds: number,
  isNew = false,
): Promise<Figures> {
  const before = processorTime(served);
  const result = await autocannon({
    url: served.url,
    requests: urls.map((path) => {
      const before = `${path}${path.includes("?") ? "&" : "?"}n=`;
      return isNew ? { setupRequest: (request) => ({ ...request, path: before + serial++ }) } : { path };
    }),
    connections: CONNECTIONS,
    duration: seconds,
  });
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${route} fails`);
  const { total, average } = result.requests;
  return {
    rate: average,
    bytes: result.throughput.total / total,
    cost: (processorTime(served) - before) / total,
  };
}

async function ended({ process: child }: Served): Promise<void> {
  const exit = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await exit;
}

function row(name: string, cells: readonly string[]): void {
  console.log(name.padEnd(42) + cells.map((cell) => cell.padStart(12)).join(""));
}

/** Measures a route in turns, and prints the middle of them. */
async function compareRoute(one: Asked, node: Served, bare: Served): Promise<void> {
  // Both get warm first.
  for (const served of [bare, node]) await measure(served, one, 1);
  const turns: { readonly own: Figures; readonly base: Figures }[] = [];
  for (let turn = 0; turn < TURNS; turn++)
    turns.push({ base: await measure(bare, one, SECONDS), own: await measure(node, one, SECONDS) });
  const first = await measure(node, one, SECONDS, true);
  const middle = (figure: (turn: (typeof turns)[number]) => number): number => median(turns.map(figure));
  row(one.route, [
    whole(middle(({ own }) => own.bytes)),
    middle(({ base }) => base.cost).toFixed(1),
    middle(({ own }) => own.cost).toFixed(1),
    share(middle(({ own, base }) => base.cost / own.cost)),
    share(middle(({ own, base }) => own.rate / base.rate)),
    share(one.wanted),
    first.cost.toFixed(1),
  ]);
}

await inHome(async (home) => {
  const chain = join(VECTORS, "chains", CHAIN);
  const options = ["--data-dir", join(home, "node"), "--genesis", join(chain, "genesis.json")];
  const cli = here("../../dist/cli.js");
  const imported = spawnSync(process.execPath, [cli, "import", join(chain, "blocks.bin"), ...options], {
    env: plainEnvironment(),
    encoding: "utf8",
  });
  if (imported.status !== 0) throw new Error(`The import failed: ${imported.stderr}`);
  const node = await serve([cli, "start", ...options, "--api-port", "0", "--no-forge", "--no-p2p"]);
  const running = [node];
  try {
    const all = await subjects(node);
    const isWanted = ({ route }: Asked): boolean =>
      wanted?.split(",").includes(route.split("?", 1)[0] ?? "") ?? true;
    const asked = all.filter(isWanted);
    const bare = await bareServer(node, asked, home);
    running.push(bare);
    row("", ["bytes", "µs bare", "µs node", "by time", "by requests", "wanted", "µs first"]);
    for (const one of asked) await compareRoute(one, node, bare);
  } finally {
    for (const served of running) await ended(served);
  }
});
