/**
 * Measures light reads under heavy load: 60 connections request long ranges of blocks of the recorded chain `load`, one
 * connection sends small requests one after the other. Target: 99 % of the light answers within 50 ms. Also prints the
 * node's memory (Linux only).
 * `HOLDFAST_BENCH_SECONDS` (10) and `HOLDFAST_BENCH_HEAVY` (60) change the figures.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { Agent, get } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { report } from "./figures.ts";
import { percentile, serve } from "./support.ts";

const SECONDS = Number(process.env.HOLDFAST_BENCH_SECONDS ?? 10);
const HEAVY = Number(process.env.HOLDFAST_BENCH_HEAVY ?? 60);
const WANTED_MS = 50;
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
const load = join(VECTORS, "chains", "load");
const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));

const home = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
const node = ["--data-dir", home, "--genesis", join(load, "genesis.json")];
const imported = spawnSync(process.execPath, [cli, "import", join(load, "blocks.bin"), ...node], {
  encoding: "utf8",
});
if (imported.status !== 0) throw new Error(`The import failed: ${imported.stderr}`);
const { url, process: child } = await serve([cli, "start", ...node, "--api-port", "0", "--no-forge"]);

interface Answer {
  readonly status: number;
  readonly bytes: number;
  readonly ms: number;
}

function ask(agent: Agent, path: string): Promise<Answer> {
  const begun = performance.now();
  return new Promise((resolve, reject) => {
    get(url + path, { agent }, (answer) => {
      let bytes = 0;
      answer.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
      });
      answer.on("end", () =>
        resolve({ status: answer.statusCode ?? 0, bytes, ms: performance.now() - begun }),
      );
      answer.on("error", reject);
    }).on("error", reject);
  });
}

/** Current and peak resident memory, MB. */
function memory(name: "VmRSS" | "VmHWM"): number {
  const path = `/proc/${child.pid}/status`;
  if (!existsSync(path)) return Number.NaN;
  return Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(path, "utf8"))?.[1]) / 1_024;
}

const last = (await (await fetch(`${url}/blocks/headers/last`)).json()) as { generator: string };
const light = [
  "/blocks/height",
  `/addresses/balance/${last.generator}`,
  "/blocks/headers/last",
  "/node/version",
];

/** Sends small requests until the time is up. Returns the duration of each, ms. */
async function lightReads(ms: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const figures: number[] = [];
  for (const end = performance.now() + ms; performance.now() < end; ) {
    const answer = await ask(agent, light[figures.length % light.length] as string);
    if (answer.status !== 200) throw new Error(`status ${answer.status}`);
    figures.push(answer.ms);
  }
  agent.destroy();
  return figures;
}

const print = (name: string, figures: readonly number[]): void =>
  console.log(
    `${name.padEnd(28)} median ${percentile(figures, 0.5).toFixed(1).padStart(7)} ms   99 of 100 within ${percentile(figures, 0.99).toFixed(1).padStart(7)} ms   longest ${Math.max(
      ...figures,
    )
      .toFixed(1)
      .padStart(7)} ms   ${figures.length} answers`,
  );

const quietMemory = memory("VmRSS");
print("light reads alone", await lightReads((SECONDS * 1_000) / 5));

const agent = new Agent({ keepAlive: true, maxSockets: HEAVY });
let ended = false;
const heavy: Answer[] = [];
const asking = Array.from({ length: HEAVY }, async (_, i) => {
  while (!ended) heavy.push(await ask(agent, i % 2 === 0 ? "/blocks/seq/1/100" : "/blocks/seq/2/101"));
});
const beside = await lightReads(SECONDS * 1_000);
ended = true;
await Promise.all(asking);
agent.destroy();
print(`light reads with ${HEAVY} heavy`, beside);
const full = heavy.filter(({ status }) => status === 200);
print(
  "heavy reads",
  full.map(({ ms }) => ms),
);
console.log(
  `heavy: ${(Math.max(...full.map(({ bytes }) => bytes)) / 2 ** 20).toFixed(1)} MiB each; ${heavy.length - full.length} answered 503; ` +
    `memory ${quietMemory.toFixed(0)} MB before, ${memory("VmHWM").toFixed(0)} MB at most`,
);
const ending = new Promise((resolve) => child.once("exit", resolve));
child.kill("SIGTERM");
await ending;
rmSync(home, { recursive: true, force: true });
report(`light read next to ${HEAVY} heavy ones, p99`, percentile(beside, 0.99), "ms", { atMost: WANTED_MS });
