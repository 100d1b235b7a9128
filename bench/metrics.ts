/**
 * Measures what metrics cost, in alternating pairs with and without them: the processor time of an import of the
 * recorded chain `load`, and of requests to a node. Scrapes, one each 15 s, are measured separately and added. The
 * target is at most 1 % (Linux only).
 * `HOLDFAST_BENCH_PAIRS` (12) and `HOLDFAST_BENCH_REQUESTS` (20000) change the figures. `--only=import` or
 * `--only=requests` runs one part.
 */
import { spawnSync } from "node:child_process";
import { cpSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { report } from "./figures.ts";
import type { ImportFigures } from "./import-worker.ts";
import { inHome, median, plainEnvironment, runWorker, type Served, serve } from "./support.ts";

const PAIRS = Number(process.env.HOLDFAST_BENCH_PAIRS ?? 12);
const REQUESTS = Number(process.env.HOLDFAST_BENCH_REQUESTS ?? 20_000);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
const SCRAPE_INTERVAL_MS = 15_000;
const SCRAPES = 10;
/** The node answers scrapes of the same second from its cache. */
const CACHED_MS = 1_100;
const CONNECTIONS = 16;
const WANTED = 0.01;
const PATHS = [
  "/blocks/height",
  "/blocks/last",
  "/node/status",
  "/transactions/unconfirmed/size",
  "/peers/all",
];

const only = process.argv.find((argument) => argument.startsWith("--only="))?.slice("--only=".length);
const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const percent = (part: number): string => `${(100 * part).toFixed(2)} %`;

/**
 * Measures pairs in alternating order, prints each, and compares the median of their ratios with the target.
 * @param measure returns the cost with or without metrics
 * @param scrapeMs processor time of a scrape
 */
async function comparePairs(
  what: string,
  unit: string,
  measure: (withMetrics: boolean) => Promise<number>,
  scrapeMs: () => number,
): Promise<void> {
  const ratios: number[] = [];
  for (let pair = 0; pair < PAIRS; pair++) {
    const isOnFirst = pair % 2 === 1;
    const first = await measure(isOnFirst);
    const second = await measure(!isOnFirst);
    const [off, on] = isOnFirst ? [second, first] : [first, second];
    ratios.push(on / off - 1);
    console.log(
      `${String(pair + 1).padStart(4)}  ${off.toFixed(2)} ${unit} without, ${on.toFixed(2)} with: ${percent(on / off - 1)}`,
    );
  }
  const scrapes = scrapeMs() / SCRAPE_INTERVAL_MS;
  const cost = median(ratios) + scrapes;
  const note = `scrapes: ${percent(scrapes)} of a core, ${scrapeMs().toFixed(1)} ms each`;
  report(`cost of metrics, ${what}`, 100 * cost, "%", { atMost: 100 * WANTED }, note);
}

async function compareImports(): Promise<void> {
  console.log(`import of the chain load, processor time of all threads, ${PAIRS} pairs`);
  const folder = join(VECTORS, "chains", "load");
  const files = [join(folder, "blocks.bin"), join(folder, "genesis.json")] as const;
  const scrapes: number[] = [];
  const importOnce = (withMetrics: boolean): Promise<number> =>
    inHome(async (home) => {
      const args = [...files, home, String(DEFAULT_CHECKER_THREADS), "", "", withMetrics ? "metrics" : ""];
      const { processorMs, transactions, scrapeMs } = runWorker<ImportFigures>("import-worker", args);
      if (scrapeMs !== undefined) scrapes.push(scrapeMs);
      return (1_000 * processorMs) / transactions;
    });
  await comparePairs("import of load", "µs per transaction", importOnce, () => median(scrapes));
}

/** Processor time of all threads of a process, ms. */
function processorMs({ process: { pid } }: Served): number {
  const tasks = `/proc/${pid}/task`;
  return readdirSync(tasks).reduce((sum, task) => {
    const [ns] = readFileSync(`${tasks}/${task}/schedstat`, "utf8").split(" ");
    return sum + Number(ns) / 1_000_000;
  }, 0);
}

async function requestCost(node: Served): Promise<number> {
  const before = processorMs(node);
  const { non2xx, errors } = await autocannon({
    url: node.url,
    requests: PATHS.map((path) => ({ path })),
    connections: CONNECTIONS,
    amount: REQUESTS,
  });
  if (non2xx > 0 || errors > 0) throw new Error("The node returned errors");
  return (1_000 * (processorMs(node) - before)) / REQUESTS;
}

async function scrapeCost(node: Served, url: string): Promise<number> {
  const before = processorMs(node);
  for (let scrape = 0; scrape < SCRAPES; scrape++) {
    const answer = await fetch(url);
    if (!(await answer.text()).includes("holdfast_chain_height")) throw new Error("No metrics");
    await delay(CACHED_MS);
  }
  return (processorMs(node) - before) / SCRAPES;
}

async function compareRequests(): Promise<void> {
  console.log(`requests to a node with the chain eras, processor time of all threads, ${PAIRS} pairs`);
  await inHome(async (home) => {
    const folder = join(VECTORS, "chains", "eras");
    const genesis = ["--genesis", join(folder, "genesis.json")];
    const [off, on] = [join(home, "off"), join(home, "on")];
    const imported = spawnSync(
      process.execPath,
      [cli, "import", join(folder, "blocks.bin"), "--data-dir", off, ...genesis],
      { env: plainEnvironment(), encoding: "utf8" },
    );
    if (imported.status !== 0) throw new Error(`The import failed: ${imported.stderr}`);
    cpSync(off, on, { recursive: true });
    const nodes: Served[] = [];
    const start = async (
      directory: string,
      hear: (text: string) => void,
      ...more: string[]
    ): Promise<Served> => {
      const options = [
        "--data-dir",
        directory,
        ...genesis,
        "--api-port",
        "0",
        "--no-forge",
        "--no-p2p",
        ...more,
      ];
      let log = "";
      const node = await serve([cli, "start", ...options], (chunk) => {
        log += chunk;
        hear(log);
      });
      nodes.push(node);
      return node;
    };
    let metricsUrl: string | undefined;
    let apiUrl: string | undefined;
    try {
      const plain = await start(off, () => {});
      const started = await start(
        on,
        (log) => {
          metricsUrl = /http:\/\/[0-9.:]+\/metrics/.exec(log)?.[0];
          apiUrl = /HTTP interface at (http:\/\/[0-9.:]+)/.exec(log)?.[1];
        },
        "--metrics-port",
        "0",
      );
      for (let wait = 0; apiUrl === undefined && wait < 100; wait++) await delay(50);
      if (metricsUrl === undefined || apiUrl === undefined) throw new Error("The node serves no metrics");
      const measured: Served = { ...started, url: apiUrl };
      for (const node of [plain, measured, plain, measured]) await requestCost(node);
      const scrapeMs = await scrapeCost(measured, metricsUrl);
      await comparePairs(
        "requests",
        "µs",
        (withMetrics) => requestCost(withMetrics ? measured : plain),
        () => scrapeMs,
      );
    } finally {
      for (const { process: child } of nodes) child.kill("SIGTERM");
    }
  });
}

if (only !== "requests") await compareImports();
if (only !== "import") await compareRequests();
