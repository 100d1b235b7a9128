/**
 * Requests a second of the HTTP interface against a bare Fastify route that returns a constant, in the same run and in
 * alternating turns; the aim is at least 60 %. Both are processes of their own. Beside it the processor time that a
 * request costs the server, which other work on the machine hardly changes (Linux only).
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import autocannon from "autocannon";
import { compare, median, print, type Served, serve } from "./support.ts";

const CONNECTIONS = 32;
const SECONDS = Number(process.env.HOLDFAST_BENCH_SECONDS ?? 3);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 5);
/** The funded account of the development network. */
const ADDRESS = "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt";
/** Length of a tick in `/proc/<pid>/stat`, in microseconds. */
const TICK_US = 10_000;

/** Processor time of a process so far, in microseconds; not a number where the system does not tell. */
function processorTime({ process: { pid } }: Served): number {
  const path = `/proc/${pid}/stat`;
  if (!existsSync(path)) return Number.NaN;
  // The name in brackets may hold anything; user and system time are the 12th and 13th words behind it.
  const words = readFileSync(path, "utf8").split(") ").at(-1)?.split(" ") ?? [];
  return (Number(words[11]) + Number(words[12])) * TICK_US;
}

const home = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
const bare = await serve([here("./api-bare-worker.js")]);
const node = await serve([
  here("../../dist/cli.js"),
  "start",
  "--data-dir",
  home,
  "--api-port",
  "0",
  "--no-forge",
]);

const costs = new Map<string, number[]>();

async function requests(name: string, served: Served, path: string): Promise<number> {
  const before = processorTime(served);
  const result = await autocannon({ url: served.url + path, connections: CONNECTIONS, duration: SECONDS });
  const cost = (processorTime(served) - before) / result.requests.total;
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${path} fails`);
  costs.set(name, [...(costs.get(name) ?? []), cost]);
  return result.requests.average;
}

const contenders = (
  [
    ["a bare Fastify route", bare, "/"],
    ["GET /blocks/height", node, "/blocks/height"],
    ["GET /addresses/balance/:address", node, `/addresses/balance/${ADDRESS}`],
    ["GET /addresses/balance/details/:address", node, `/addresses/balance/details/${ADDRESS}`],
    ["GET /blocks/last", node, "/blocks/last"],
  ] as const
).map(([name, served, path]) => ({ name, measure: () => requests(name, served, path) }));
// Both get warm first.
for (const { measure } of contenders) await measure();
costs.clear();
print(await compare(contenders, TURNS), "requests/s");
for (const [name, list] of costs) {
  console.log(`${name.padEnd(44)} ${median(list).toFixed(1).padStart(12)} µs of processor time`);
}

for (const { process: child } of [node, bare]) {
  const ended = new Promise((resolve) => child.once("exit", resolve));
  child.kill("SIGTERM");
  await ended;
}
rmSync(home, { recursive: true, force: true });
