/**
 * The processor time of a request with one, two and three nodes that answer at the same time (Linux only).
 * `HOLDFAST_BENCH_TURNS` (6) and `HOLDFAST_BENCH_REQUESTS` per turn and node (20,000) change the figures.
 */
import { availableParallelism } from "node:os";
import { report } from "./figures.ts";
import { type Load, measure, type Turn } from "./http-load.ts";
import { median, type Served } from "./support.ts";

export const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 6);
const REQUESTS = Number(process.env.HOLDFAST_BENCH_REQUESTS ?? 20_000);
const CONNECTIONS = 32;
/** Makes 3,200 requests per second to each node: two cores are free most of the time. */
const INTERVAL_MS = 10;
/** Nodes and load generators do not wait for each other on this number of cores. */
const CORES_FOR_RATE = 8;

/** Requests of a path one after another, as fast as a node answers. */
export const loadOf = (path: string): Load => ({ path, connections: CONNECTIONS, amount: REQUESTS });

/** Lets processes compile their code for a path. */
export async function warmUp(nodes: readonly Served[], path: string): Promise<void> {
  for (const one of nodes) await measure(one, "persistent", { ...loadOf(path), amount: 2 * REQUESTS });
}

/**
 * Compares requests to several nodes with requests to one of them, in alternating turns: each node gets the same number
 * of requests per second. The nodes take turns in being the one that is asked alone, since the engine goes on optimising
 * code that runs often. With eight cores or more, it also compares the greatest rate.
 * @param kind name of these nodes, in plural
 */
export async function compareTogether(
  kind: string,
  nodes: readonly Served[],
  paths: readonly string[],
): Promise<void> {
  const load = (asked: readonly Served[], each: Load): Promise<Turn[]> =>
    Promise.all(
      asked.map((one, i) =>
        measure(one, "persistent", { ...each, offsetMs: ((each.intervalMs ?? 0) * i) / asked.length }),
      ),
    );
  const rateOf = async (asked: readonly Served[], path: string): Promise<number> =>
    (await load(asked, loadOf(path))).reduce((sum, { rate }) => sum + rate, 0);
  // Each node is asked alone in the same number of turns.
  const turns = Math.ceil(TURNS / nodes.length) * nodes.length;
  for (const path of paths) {
    await warmUp(nodes, path);
    /** By number of nodes that are asked together, then by node. */
    const costs = nodes.map(() => new Map(nodes.map((node) => [node, [] as number[]])));
    const rates: number[] = [];
    for (let turn = 0; turn < turns; turn++) {
      const rotated = nodes.map((_, i) => nodes[(turn + i) % nodes.length] as Served);
      for (const [i, found] of costs.entries()) {
        const asked = rotated.slice(0, i + 1);
        const figures = await load(asked, { ...loadOf(path), intervalMs: INTERVAL_MS });
        for (const [j, { cost }] of figures.entries()) found.get(asked[j] as Served)?.push(cost);
      }
      if (availableParallelism() < CORES_FOR_RATE) continue;
      const alone = await rateOf(rotated.slice(0, 1), path);
      rates.push((await rateOf(nodes, path)) / alone);
    }
    const route = routeOf(path);
    const [one = 0, ...more] = costs.map(
      (byNode) => [...byNode.values()].map(median).reduce((sum, cost) => sum + cost, 0) / nodes.length,
    );
    for (const [i, cost] of more.entries())
      report(
        `${route}: request with ${i + 2} ${kind} against one`,
        (100 * cost) / one,
        "%",
        { atMost: 105 },
        `one: ${one.toFixed(1)} µs`,
      );
    if (rates.length > 0)
      report(`${route}: rate of ${nodes.length} ${kind} against one`, median(rates), "times", {
        atLeast: 2.7,
      });
  }
}

/** The path without an address at its end. */
export const routeOf = (path: string): string => path.split("/3")[0] ?? path;
