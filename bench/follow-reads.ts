/**
 * Compares requests at followers with the same requests at their source: processor time per request in alternating turns,
 * then with one, two and three followers that answer at the same time, each the same number of requests per second (Linux
 * only). With eight cores or more, it also compares the greatest rate of three followers with that of one.
 * `HOLDFAST_BENCH_TURNS` (7) and `HOLDFAST_BENCH_REQUESTS` per turn and node (20,000) change the figures.
 */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { report } from "./figures.ts";
import { type Load, measure } from "./http-load.ts";
import { inHome, median, type Served, serve } from "./support.ts";

const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 7);
const REQUESTS = Number(process.env.HOLDFAST_BENCH_REQUESTS ?? 20_000);
const FOLLOWERS = 3;
const CONNECTIONS = 32;
/** Followers and load generators do not wait for each other on this number of cores. */
const CORES_FOR_RATE = 8;
const PATHS = ["/blocks/height", "/addresses/balance/details/3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt"];

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
/** Makes 3,200 requests per second to each follower: two cores are free most of the time. */
const INTERVAL_MS = 10;
const loadOf = (path: string): Load => ({ path, connections: CONNECTIONS, amount: REQUESTS });
const mean = (figures: readonly number[]): number =>
  figures.reduce((sum, one) => sum + one, 0) / figures.length;

await inHome(async (home) => {
  const start = (name: string, ...args: string[]): Promise<Served> =>
    // A follower logs the address of its source first.
    serve(
      [cli, "start", "--data-dir", join(home, name), "--api-port", "0", "--ntp-server", "off", ...args],
      undefined,
      "HTTP interface at ",
    );
  const node = await start("node", "--no-forge", "--no-p2p");
  const nodes = [node];
  try {
    const followers: Served[] = [];
    for (let i = 0; i < FOLLOWERS; i++) {
      const follower = await start(`follower-${i}`, "--follow", node.url);
      followers.push(follower);
      nodes.push(follower);
    }
    const loadFirst = (count: number, load: Load) =>
      Promise.all(followers.slice(0, count).map((one) => measure(one, "persistent", load)));
    const rateOf = async (count: number, path: string): Promise<number> =>
      (await loadFirst(count, loadOf(path))).reduce((sum, { rate }) => sum + rate, 0);
    for (const path of PATHS) {
      // Each process compiles its own code.
      for (const one of nodes) await measure(one, "persistent", { ...loadOf(path), amount: 2 * REQUESTS });
      const ratios: number[] = [];
      const costs: number[] = [];
      const together: number[][] = followers.map(() => []);
      const rates: number[] = [];
      for (let turn = 0; turn < TURNS; turn++) {
        const ofNode = await measure(node, "persistent", loadOf(path));
        const ofFollower = await measure(followers[turn % FOLLOWERS] as Served, "persistent", loadOf(path));
        costs.push(ofNode.cost);
        ratios.push((100 * ofFollower.cost) / ofNode.cost);
        for (const [i, found] of together.entries()) {
          const turns = await loadFirst(i + 1, { ...loadOf(path), intervalMs: INTERVAL_MS });
          found.push(mean(turns.map(({ cost }) => cost)));
        }
        if (availableParallelism() < CORES_FOR_RATE) continue;
        const alone = await rateOf(1, path);
        rates.push((await rateOf(FOLLOWERS, path)) / alone);
      }
      const [route = path] = path.split("/3");
      report(
        `${route}: request at a follower against the node`,
        median(ratios),
        "%",
        { atMost: 105 },
        `node: ${median(costs).toFixed(1)} µs`,
      );
      const [one = 0, ...more] = together.map(median);
      for (const [i, cost] of more.entries())
        report(
          `${route}: request with ${i + 2} followers against one`,
          (100 * cost) / one,
          "%",
          { atMost: 105 },
          `one: ${one.toFixed(1)} µs`,
        );
      if (availableParallelism() >= CORES_FOR_RATE)
        report(`${route}: rate of ${FOLLOWERS} followers against one`, median(rates), "times", {
          atLeast: 2.7,
        });
    }
  } finally {
    for (const { process: child } of nodes.reverse()) {
      const exit = new Promise((resolve) => child.once("exit", resolve));
      child.kill("SIGTERM");
      await exit;
    }
  }
});
