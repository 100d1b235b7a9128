/**
 * Compares requests to a node with bare Fastify routes that return the same bytes. Shared by the benchmarks of routes.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import type { BareAnswers } from "./api-bare-worker.ts";
import { report } from "./figures.ts";
import { median, plainEnvironment, type Served, serve, share, whole } from "./support.ts";

const CONNECTIONS = 32;
const SECONDS = Number(process.env.HOLDFAST_BENCH_SECONDS ?? 2);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
/** Length of a tick in `/proc/<pid>/stat`, in microseconds. */
const TICK_US = 10_000;

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** A route and the requests to it. */
export interface Asked {
  readonly route: string;
  readonly urls: readonly string[];
  /** Target: fraction of the bare route's speed. */
  readonly wanted: number;
  /** Target: processor time of a request that was not answered before, µs. */
  readonly firstUs?: number | undefined;
}

/**
 * Imports a file of blocks in a separate process, then runs a task with a node that serves the chain. By default the
 * chain is of the network `dev`.
 */
export async function withNode(
  home: string,
  { genesis, blocks }: { readonly genesis?: string; readonly blocks: string },
  task: (node: Served) => Promise<void>,
): Promise<void> {
  const network = genesis === undefined ? ["--network", "dev"] : ["--genesis", genesis];
  const options = ["--data-dir", join(home, "node"), ...network];
  const cli = here("../../dist/cli.js");
  const imported = spawnSync(process.execPath, [cli, "import", blocks, ...options], {
    env: plainEnvironment(),
    encoding: "utf8",
  });
  if (imported.status !== 0) throw new Error(`The import failed: ${imported.stderr}`);
  const node = await serve([cli, "start", ...options, "--api-port", "0", "--no-forge", "--no-p2p"]);
  try {
    await task(node);
  } finally {
    await ended(node);
  }
}

/**
 * Measures routes of a node and bare ones in alternating turns, and prints a row for each. @returns true if all reach
 * their target
 */
export async function compareRoutes(home: string, node: Served, asked: readonly Asked[]): Promise<boolean> {
  const bare = await bareServer(node, asked, home);
  try {
    row("", ["bytes", "µs bare", "µs node", "by time", "by requests", "wanted", "µs first"]);
    const compared: (readonly [Asked, Compared])[] = [];
    for (const one of asked) compared.push([one, await compareRoute(one, node, bare)]);
    for (const [{ route, wanted, firstUs }, { ratio, own, base, first }] of compared) {
      const note = `${own.toFixed(1)} µs, bare ${base.toFixed(1)} µs`;
      report(`${route}, against a bare route`, 100 * ratio, "%", { atLeast: 100 * wanted }, note);
      report(`${route}, first request`, first, "µs", firstUs === undefined ? undefined : { atMost: firstUs });
    }
    return compared.every(([{ wanted }, { ratio }]) => ratio >= wanted);
  } finally {
    await ended(bare);
  }
}

/** Requests every URL from the node, and starts a bare server that returns the same answers. */
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

/** Processor time of a process so far, in microseconds; NaN where the system does not report it. */
function processorTime({ process: { pid } }: Served): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  // The process name in brackets may contain anything. User and system time are the 12th and 13th words after it.
  const words = readFileSync(path, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(words[11]) + Number(words[12])) * TICK_US;
}

let serial = 0;

interface Figures {
  /** Requests per second, and bytes of an answer including its head. */
  readonly rate: number;
  readonly bytes: number;
  /** Processor time per request, microseconds. */
  readonly cost: number;
}

/** @param isNew whether each request is unique: a query that the node ignores makes it so */
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
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${route} returned errors`);
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

/** By processor time per request, in µs. */
interface Compared {
  /** Fraction of the bare route's speed. */
  readonly ratio: number;
  readonly own: number;
  readonly base: number;
  readonly first: number;
}

/** Measures a route in turns and prints the medians. */
async function compareRoute(one: Asked, node: Served, bare: Served): Promise<Compared> {
  // Warm up both servers.
  for (const served of [bare, node]) await measure(served, one, 1);
  const turns: { readonly own: Figures; readonly base: Figures }[] = [];
  for (let turn = 0; turn < TURNS; turn++)
    turns.push({ base: await measure(bare, one, SECONDS), own: await measure(node, one, SECONDS) });
  // The engine compiles the code of first requests, and the node starts a reader thread if the route needs one.
  await measure(node, one, SECONDS, true);
  const firsts: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) firsts.push((await measure(node, one, SECONDS, true)).cost);
  const first = median(firsts);
  const middle = (figure: (turn: (typeof turns)[number]) => number): number => median(turns.map(figure));
  const ratio = middle(({ own, base }) => base.cost / own.cost);
  row(one.route, [
    whole(middle(({ own }) => own.bytes)),
    middle(({ base }) => base.cost).toFixed(1),
    middle(({ own }) => own.cost).toFixed(1),
    share(ratio),
    share(middle(({ own, base }) => own.rate / base.rate)),
    share(one.wanted),
    first.toFixed(1),
  ]);
  return {
    ratio,
    own: middle(({ own }) => own.cost),
    base: middle(({ base }) => base.cost),
    first,
  };
}
