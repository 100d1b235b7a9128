/**
 * Measures the time between the commit of a block at a node and the first answer of a follower in another process that
 * knows this block: a request with `atLeast` waits there. The node adds the recorded chain `load` block by block.
 * `npm run bench -- follow-delay`. `HOLDFAST_BENCH_BLOCKS` (150) and `HOLDFAST_BENCH_PAUSE` (ms between two blocks, 100)
 * change the figures.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { API_KEY } from "../src/api/testing/server.ts";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { BlockFile } from "../src/chain/jobs/block-file.ts";
import type { Committed } from "./events-worker.ts";
import { report } from "./figures.ts";
import { inHome, percentile, type Served, serve } from "./support.ts";

const BLOCKS = Number(process.env.HOLDFAST_BENCH_BLOCKS ?? 150);
const PAUSE_MS = Number(process.env.HOLDFAST_BENCH_PAUSE ?? 100);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
/** Warm-up blocks, whose delays do not count. */
const WARM_UP = 20;
const ID_BYTES = 64;
/** A request waits for a block for 2 s. */
const MAX_REQUESTS = 30;

const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
const worker = fileURLToPath(new URL("./events-worker.js", import.meta.url));
const folder = join(VECTORS, "chains", "load");
const blocks = join(folder, "blocks.bin");
const genesis = join(folder, "genesis.json");

/** Positions of the first blocks of the file, in order. */
function positions(): string[] {
  const file = openSync(blocks, "r");
  try {
    const source = new BlockFile({
      size: fstatSync(file).size,
      read: (target, at) => readSync(file, target, 0, target.length, at),
    });
    const found: string[] = [];
    for (let next = source.next(); next !== undefined && found.length < BLOCKS; next = source.next())
      // A block ends with its id.
      found.push(`${next.height}.0.${encodeBase58(next.bytes.slice(-ID_BYTES))}`);
    return found;
  } finally {
    closeSync(file);
  }
}

/** Resolves when a follower answers with the chain of this position, or a later one. */
async function waitFor(follower: Served, position: string): Promise<void> {
  const path = `/blocks/height?atLeast=${position}`;
  for (let left = MAX_REQUESTS; left > 0; left--) {
    const answer = await fetch(follower.url + path);
    await answer.arrayBuffer();
    if (answer.ok) return;
    // 503: the block did not arrive while the request waited.
    if (answer.status !== 503) throw new Error(`${path} was answered with status ${answer.status}`);
  }
  throw new Error(`The follower has not reached ${position}`);
}

const delays = await inHome(async (home) => {
  const args = [worker, blocks, genesis, join(home, "node"), String(BLOCKS), String(PAUSE_MS)];
  const node = spawn(process.execPath, args, { stdio: ["pipe", "pipe", "inherit"] });
  const processes: ChildProcess[] = [node];
  const lines = createInterface({ input: node.stdout })[Symbol.asyncIterator]();
  const line = async (): Promise<string> => {
    const { value, done } = await lines.next();
    if (done === true) throw new Error("The node ended");
    return value;
  };
  try {
    const source = ["--follow", await line(), "--follow-key", API_KEY, "--follow-check", "none"];
    const own = ["--data-dir", join(home, "follower"), "--api-port", "0", "--ntp-server", "off"];
    const follower = await serve(
      [cli, "start", ...source, "--genesis", genesis, ...own],
      undefined,
      "HTTP interface at ",
    );
    processes.push(follower.process);
    const answered = new Map<number, number>();
    node.stdin.write("go\n");
    for (const position of positions()) {
      await waitFor(follower, position);
      answered.set(Number.parseInt(position, 10), performance.timeOrigin + performance.now());
    }
    // The worker's output has this type.
    const { times } = JSON.parse(await line()) as Committed;
    return times.slice(WARM_UP).map(([height, at]) => (answered.get(height) ?? Number.NaN) - at);
  } finally {
    for (const child of processes) {
      const exit = once(child, "exit");
      child.kill("SIGKILL");
      await exit;
    }
  }
});
report("Commit to a follower's answer, median", percentile(delays, 0.5), "ms");
report("Commit to a follower's answer, p99", percentile(delays, 0.99), "ms", { atMost: 100 });
