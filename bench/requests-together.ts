/**
 * The processor time of a request with one, two and three nodes that answer at the same time (Linux only).
 * `HOLDFAST_BENCH_TURNS` (7) and `HOLDFAST_BENCH_REQUESTS` per turn and node (20,000) change the figures.
 */
import { availableParallelism } from "node:os";
import { report } from "./figures.ts";
import { type Load, measure, type Turn } from "./http-load.ts";
import { median, type Served } from "./support.ts";

export const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 7);
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
 * of requests per second. With eight cores or more, it also compares the greatest rate.
 * @param kind name of these nodes, in plural
 */
export async function compareTogether(
  kind: string,
  nodes: readonly Served[],
  paths: readonly string[],
): Promise<void> {
  const loadFirst = (count: number, load: Load): Promise<Turn[]> =>
    Promise.all(nodes.slice(0, count).map((one) => measure(one, "persistent", load)));
  const rateOf = async (count: number, path: string): Promise<number> =>
    (await loadFirst(count, loadOf(path))).reduce((sum, { rate }) => sum + rate, 0);
  for (const path of paths) {
    await warmUp(nodes, path);
    const costs: number[][] = nodes.map(() => []);
    const rates: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [i, found] of costs.entries()) {
        const turns = await loadFirst(i + 1, { ...loadOf(path), intervalMs: INTERVAL_MS });
        found.push(turns.reduce((sum, { cost }) => sum + cost, 0) / turns.length);
      }
      if (availableParallelism() < CORES_FOR_RATE) continue;
      const alone = await rateOf(1, path);
      rates.push((await rateOf(nodes.length, path)) / alone);
    }
    const route = routeOf(path);
    const [one = 0, ...more] = costs.map(median);
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
