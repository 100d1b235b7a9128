/**
 * Compares a node with one HTTP thread and one with two: processor time per request in alternating turns, and how evenly
 * the two threads share the work (Linux only). Both nodes get the same number of requests per second, below what one
 * thread can answer: a saturated thread answers several requests per turn of its event loop, which makes them cheaper.
 * With eight cores or more, it also compares the greatest rates.
 * `HOLDFAST_BENCH_TURNS` (5), `HOLDFAST_BENCH_SECONDS` (3) and `HOLDFAST_BENCH_RATE` (4,000) change the figures.
 */
import { readdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { report } from "./figures.ts";
import { inHome, median, type Served, serve } from "./support.ts";

const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 5);
const SECONDS = Number(process.env.HOLDFAST_BENCH_SECONDS ?? 3);
const RATE = Number(process.env.HOLDFAST_BENCH_RATE ?? 4_000);
const CONNECTIONS = 32;
const PATHS = ["/blocks/height", "/node/status", "/blocks/last", "/addresses"];
/** Length of a tick in `/proc`, µs. */
const TICK_US = 10_000;
/** Two threads, two load generators and the writer do not wait for each other on this number of cores. */
const CORES_FOR_RATE = 8;

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

/** Processor time of each thread of a process so far, µs. */
function threadTimes({ process: { pid } }: Served): ReadonlyMap<string, number> {
  const folder = `/proc/${pid}/task`;
  return new Map(
    readdirSync(folder).map((thread) => {
      // The name in brackets may contain anything. User and system time are the 12th and 13th words after it.
      const words = readFileSync(join(folder, thread, "stat"), "utf8").split(") ").at(-1)?.split(" ") ?? [];
      return [thread, (Number(words[11]) + Number(words[12])) * TICK_US];
    }),
  );
}

interface Turn {
  /** µs. */
  readonly cost: number;
  /** Part of the busier of the two busiest threads, %. */
  readonly share: number;
  readonly rate: number;
}

/** @param kind persistent connections, or one connection for each request */
async function measure(
  node: Served,
  kind: "persistent" | "short",
  load: { readonly overallRate?: number; readonly workers?: number; readonly connections?: number },
): Promise<Turn> {
  const before = threadTimes(node);
  const headers: Record<string, string> = kind === "short" ? { connection: "close" } : {};
  const result = await autocannon({
    url: node.url,
    requests: PATHS.map((path) => ({ path, headers })),
    connections: CONNECTIONS,
    duration: SECONDS,
    ...load,
  });
  if (result.non2xx > 0 || result.errors > 0)
    throw new Error(`${result.non2xx} answers with another status, ${result.errors} errors`);
  const times = [...threadTimes(node)].map(([thread, time]) => time - (before.get(thread) ?? 0));
  const [first = 0, second = 0] = times.sort((a, b) => b - a);
  const { total, average } = result.requests;
  return {
    cost: times.reduce((sum, time) => sum + time, 0) / total,
    share: (100 * first) / (first + second),
    rate: average,
  };
}

await inHome(async (home) => {
  const start = (threads: number): Promise<Served> =>
    serve([
      ...[cli, "start", "--data-dir", join(home, String(threads)), "--api-port", "0"],
      ...["--no-forge", "--no-p2p", "--http-threads", String(threads)],
    ]);
  const [one, two] = await Promise.all([start(1), start(2)]);
  try {
    for (const kind of ["persistent", "short"] as const) {
      // Opening a connection costs more than a request.
      const load = { overallRate: kind === "short" ? RATE / 4 : RATE };
      for (const node of [one, two]) await measure(node, kind, load);
      const turns: { readonly one: Turn; readonly two: Turn }[] = [];
      for (let turn = 0; turn < TURNS; turn++)
        turns.push({ one: await measure(one, kind, load), two: await measure(two, kind, load) });
      const middle = (figure: (turn: (typeof turns)[number]) => number): number => median(turns.map(figure));
      report(
        `${kind} connections: processor time of a request, two threads above one`,
        100 * (middle((turn) => turn.two.cost / turn.one.cost) - 1),
        "%",
        kind === "persistent" ? { atMost: 5 } : undefined,
        `one: ${middle((turn) => turn.one.cost).toFixed(1)} µs, two: ${middle((turn) => turn.two.cost).toFixed(1)} µs`,
      );
      report(
        `${kind} connections: share of the busier thread`,
        middle((turn) => turn.two.share),
        "%",
        { atMost: 60 },
        `single turns: ${turns.map((turn) => turn.two.share.toFixed(0)).join(", ")}`,
      );
    }
    if (availableParallelism() < CORES_FOR_RATE)
      console.log(`The ratio of the greatest rates needs ${CORES_FOR_RATE} cores: not measured.`);
    else {
      const load = { workers: 4, connections: 4 * CONNECTIONS };
      const ratios: number[] = [];
      for (let turn = 0; turn < TURNS; turn++) {
        const { rate } = await measure(one, "persistent", load);
        ratios.push((await measure(two, "persistent", load)).rate / rate);
      }
      report("greatest rate, two threads against one", median(ratios), "times", { atLeast: 1.7 });
    }
  } finally {
    for (const { process: child } of [one, two]) {
      const exit = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await exit;
    }
  }
});
