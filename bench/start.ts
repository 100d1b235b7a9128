/**
 * Compares the start of a new `dev` node, until its first answer, and `--version` with a bare start of Node.js, in
 * alternating turns. `npm run bench -- start --long` starts a node with a chain of 3,000,000 transactions instead
 * (`HOLDFAST_BENCH_LONG`); building and importing it takes minutes. Targets are stated by the clock and mean a machine with
 * two idle cores. On a busy machine only processor time is a result.
 */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { get } from "node:http";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { makeLongChain } from "../test/support/long-chain.ts";
import { report } from "./figures.ts";
import { inHome, median, plainEnvironment, whole } from "./support.ts";

const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 7);
const LONG = Number(process.env.HOLDFAST_BENCH_LONG ?? 3_000_000);
const isLong = process.argv.includes("--long");
const MAX_START_MS = isLong ? 600 : 400;
const MAX_VERSION_MS = 40;
const START_TIMEOUT_MS = 120_000;
const POLL_INTERVAL_MS = 2;

const root = fileURLToPath(new URL("../../", import.meta.url));
const cli = join(root, "dist", "cli.js");
const VECTORS = process.env.HOLDFAST_VECTORS ?? join(root, "test", "vectors");

/** Time until a result, ms. */
interface Cost {
  readonly clock: number;
  readonly processor: number;
}

/** Runs Node.js until it ends. @param hook file that prints the processor time at the end to standard error */
function runNode(hook: string, args: readonly string[]): Cost {
  const start = performance.now();
  const { status, stderr } = spawnSync(process.execPath, ["--require", hook, ...args], {
    encoding: "utf8",
    env: plainEnvironment(),
  });
  if (status !== 0) throw new Error(`node ${args.join(" ")}: code ${status}\n${stderr}`);
  return { clock: performance.now() - start, processor: Number(stderr) };
}

/** Processor time of all threads of a process, ms. Threads that have ended are missing. Linux only. */
function processorMs(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const times = readdirSync(tasks).map((task) => readFileSync(join(tasks, task, "schedstat"), "utf8"));
  return times.reduce((sum, text) => sum + Number(text.split(" ")[0]), 0) / 1e6;
}

const isAnswering = (url: string): Promise<boolean> =>
  new Promise((resolve) => {
    get(url, (answer) => {
      answer.resume();
      resolve(answer.statusCode === 200);
    }).once("error", () => resolve(false));
  });

/** Starts a node and ends it after its first answer. */
async function startNode(directory: string, port: number, settings: readonly string[]): Promise<Cost> {
  const start = performance.now();
  const args = [cli, "start", "--data-dir", directory, "--api-port", String(port), ...settings];
  const child = spawn(process.execPath, args, { stdio: "ignore", env: plainEnvironment() });
  try {
    while (!(await isAnswering(`http://127.0.0.1:${port}/blocks/height`))) {
      if (child.exitCode !== null || performance.now() - start > START_TIMEOUT_MS)
        throw new Error(`The node did not start: code ${child.exitCode}`);
      await delay(POLL_INTERVAL_MS);
    }
    return { clock: performance.now() - start, processor: processorMs(child.pid as number) };
  } finally {
    if (child.exitCode === null) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
  }
}

const PORT = 20_000 + (process.pid % 10_000);

await inHome(async (home) => {
  const hook = join(home, "hook.cjs");
  writeFileSync(
    hook,
    'process.on("exit", () => { const { user, system } = process.cpuUsage(); process.stderr.write(String((user + system) / 1000)); });\n',
  );
  const settings: string[] = [];
  if (isLong) {
    const load = join(VECTORS, "chains", "load");
    const blocks = join(home, "blocks.bin");
    console.log(`Building a chain of ${whole(LONG)} transactions ...`);
    await makeLongChain(load, blocks, LONG);
    settings.push("--genesis", join(load, "genesis.json"), "--no-p2p");
    const imported = spawnSync(
      process.execPath,
      [cli, "import", "--data-dir", join(home, "long"), ...settings.slice(0, 2), blocks],
      { stdio: "inherit", env: plainEnvironment() },
    );
    if (imported.status !== 0) throw new Error(`Import failed: code ${imported.status}`);
  }
  const turns: { readonly bare: Cost; readonly version: Cost; readonly node: Cost }[] = [];
  // The first start reads files that the system does not have in memory yet.
  for (let turn = 0; turn <= TURNS; turn++) {
    const bare = runNode(hook, ["-e", "0"]);
    const version = runNode(hook, [cli, "--version"]);
    const node = await startNode(join(home, isLong ? "long" : `dev-${turn}`), PORT, settings);
    if (turn > 0) turns.push({ bare, version, node });
  }
  const excess = (what: "version" | "node", time: keyof Cost): number =>
    median(turns.map((turn) => turn[what][time] - turn.bare[time]));
  const bareText = (time: keyof Cost): string =>
    `bare Node ${median(turns.map(({ bare }) => bare[time])).toFixed(0)} ms`;
  const state = isLong ? `with ${whole(LONG)} transactions` : "of a new dev node";
  for (const [time, label] of [
    ["processor", "processor time"],
    ["clock", "time"],
  ] as const) {
    const isTarget = time === "clock";
    report(
      `${label} to the first answer ${state}, above bare Node`,
      excess("node", time),
      "ms",
      isTarget ? { atMost: MAX_START_MS } : undefined,
      bareText(time),
    );
    if (!isLong)
      report(
        `${label} of --version, above bare Node`,
        excess("version", time),
        "ms",
        isTarget ? { atMost: MAX_VERSION_MS } : undefined,
        bareText(time),
      );
  }
});
