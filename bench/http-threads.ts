/**
 * Compares a node with one HTTP thread and one with two: processor time per request in alternating turns, and how evenly
 * the two threads share the work (Linux only). Each thread has the same number of connections, each with one request
 * after the other: a thread answers all waiting requests in one turn of its event loop, so threads that are not busy need
 * more turns and more time. To keep them busy, the load generator parses no answers. Two busy threads also slow each other
 * down, even without anything in common: the second comparison is with two nodes that are busy at the same time. With
 * eight cores or more, the benchmark also compares the greatest rates.
 * `HOLDFAST_BENCH_TURNS` (7) and `HOLDFAST_BENCH_REQUESTS` per turn and thread (20,000) change the figures.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { report } from "./figures.ts";
import { type Kind, type Load, measure, type Turn } from "./http-load.ts";
import { inHome, median, type Served, serve } from "./support.ts";

const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 7);
const REQUESTS = Number(process.env.HOLDFAST_BENCH_REQUESTS ?? 20_000);
/** Each thread compiles its own code. */
const WARM_UP_REQUESTS = 40_000;
/** Per thread. */
const CONNECTIONS = 32;
/** Two threads, two load generators and the writer do not wait for each other on this number of cores. */
const CORES_FOR_RATE = 8;

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

const loadOf = (threads: number): Load => ({
  connections: CONNECTIONS * threads,
  amount: REQUESTS * threads,
});

/** @param single two nodes with one thread each, and `two` a node with two threads */
async function comparePairs(name: string, kind: Kind, single: readonly [Served, Served], two: Served) {
  const turns: { readonly one: Turn; readonly two: Turn; readonly nodes: number }[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const one = await measure(single[turn % 2] as Served, kind, loadOf(1));
    const both = await measure(two, kind, loadOf(2));
    const nodes = await Promise.all(single.map((node) => measure(node, kind, loadOf(1))));
    turns.push({ one, two: both, nodes: nodes.reduce((sum, { cost }) => sum + cost, 0) / nodes.length });
  }
  const middle = (figure: (turn: (typeof turns)[number]) => number): number => median(turns.map(figure));
  const [ofOne, ofBoth] = [middle((turn) => turn.one.cost), middle((turn) => turn.two.cost)];
  report(
    `${name}: processor time of a request, two threads above one`,
    100 * (middle((turn) => turn.two.cost / turn.one.cost) - 1),
    "%",
    undefined,
    `one: ${ofOne.toFixed(1)} µs, two: ${ofBoth.toFixed(1)} µs`,
  );
  report(
    `${name}: processor time of a request, two threads above two nodes at the same time`,
    100 * (middle((turn) => turn.two.cost / turn.nodes) - 1),
    "%",
    kind === "persistent" ? { atMost: 5 } : undefined,
    `two nodes: ${middle((turn) => turn.nodes).toFixed(1)} µs`,
  );
  report(
    `${name}: share of the busier thread`,
    middle((turn) => turn.two.share),
    "%",
    { atMost: 60 },
    `turns: ${turns.map((turn) => turn.two.share.toFixed(0)).join(", ")}`,
  );
}

await inHome(async (home) => {
  const start = (name: string, threads: number): Promise<Served> =>
    serve([
      ...[cli, "start", "--data-dir", join(home, name), "--api-port", "0"],
      ...["--no-forge", "--no-p2p", "--http-threads", String(threads)],
    ]);
  const [one, other, two] = await Promise.all([start("one", 1), start("other", 1), start("two", 2)]);
  try {
    for (const node of [one, other, two])
      await measure(node, "persistent", { connections: 2 * CONNECTIONS, amount: WARM_UP_REQUESTS });
    await comparePairs("persistent connections", "persistent", [one, other], two);
    await comparePairs("short connections", "short", [one, other], two);
    if (availableParallelism() < CORES_FOR_RATE)
      console.log(`The ratio of the greatest rates needs ${CORES_FOR_RATE} cores: not measured.`);
    else {
      const load = { connections: 4 * CONNECTIONS, amount: 10 * REQUESTS };
      const ratios: number[] = [];
      for (let turn = 0; turn < TURNS; turn++) {
        const { rate } = await measure(one, "persistent", load);
        ratios.push((await measure(two, "persistent", load)).rate / rate);
      }
      report("greatest rate, two threads against one", median(ratios), "times", { atLeast: 1.7 });
    }
  } finally {
    for (const { process: child } of [one, other, two]) {
      const exit = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await exit;
    }
  }
});
