/** Shared by the benchmarks: timing in alternating turns, medians, and the machine's signature verification speed. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** @param share between 0 and 1, such as 0.99 */
export function percentile(figures: readonly number[], share: number): number {
  const sorted = [...figures].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] as number;
}

/** A ratio as a percentage, and a number, formatted for tables. */
export const share = (ratio: number): string => `${(100 * ratio).toFixed(1)} %`;
export const whole = (figure: number): string => Math.round(figure).toLocaleString("en");

/** Runs a task with a temporary folder and removes the folder afterwards. */
export function inHome<T>(task: (home: string) => T): T {
  const home = mkdtempSync(join(tmpdir(), "holdfast-bench-"));
  const clear = (): void => rmSync(home, { recursive: true, force: true });
  let result: T;
  try {
    result = task(home);
  } catch (error) {
    clear();
    throw error;
  }
  if (result instanceof Promise) return result.finally(clear) as T;
  clear();
  return result;
}

/** Runs a worker in a separate process until it ends. @returns the figures that it printed */
export function runWorker<T>(name: string, args: readonly string[]): T {
  const script = fileURLToPath(new URL(`./${name}.js`, import.meta.url));
  const child = spawnSync(process.execPath, [...process.execArgv, script, ...args], {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "inherit"],
    maxBuffer: 2 ** 28,
  });
  if (child.status !== 0) throw new Error(`${name} failed: code ${child.status} ${child.signal ?? ""}`);
  return JSON.parse(child.stdout) as T;
}

/** Operations per second of a synchronous task, run for about `ms`. */
export function rate(task: () => void, ms: number): number {
  const start = performance.now();
  let count = 0;
  let elapsed = 0;
  while (elapsed < ms) {
    // Reading the clock costs more than the fastest tasks, so each batch has several runs.
    for (let i = 0; i < 16; i++) task();
    count += 16;
    elapsed = performance.now() - start;
  }
  return (count * 1000) / elapsed;
}

/** Threads that verify signatures on request. */
export interface Verifiers {
  /** Total verifications per second. */
  measure(): Promise<number>;
  /** Processor time of one verification in the last measurement, µs. */
  readonly checkUs: number;
  close(): Promise<void>;
}

/** Starts this many threads, each of which verifies for `ms` per turn. */
export async function verifiers(count: number, ms: number): Promise<Verifiers> {
  const pool = await Promise.all(
    Array.from({ length: count }, async () => {
      const worker = new Worker(new URL("./verify-worker.js", import.meta.url), { workerData: { ms } });
      await once(worker, "message");
      return worker;
    }),
  );
  let checkUs = Number.NaN;
  return {
    get checkUs() {
      return checkUs;
    },
    async measure() {
      const before = process.cpuUsage();
      const rates = await Promise.all(
        pool.map(async (worker) => {
          worker.postMessage("go");
          const [figure] = await once(worker, "message");
          return figure as number;
        }),
      );
      const { user, system } = process.cpuUsage(before);
      const total = rates.reduce((sum, figure) => sum + figure, 0);
      checkUs = (user + system) / ((total * ms) / 1_000);
      return total;
    },
    async close() {
      for (const worker of pool) await worker.terminate();
    },
  };
}

/** A named measurement that yields operations per second. */
export interface Contender {
  readonly name: string;
  measure(): number | Promise<number>;
}

export interface Standing {
  readonly name: string;
  readonly median: number;
  /** Median of the ratios to the first contender, turn by turn. */
  readonly ratio: number;
}

/**
 * Measures the contenders in turn, A B C A B C ..., and compares each with the first one turn by turn, since the speed
 * of a machine changes within seconds.
 */
export async function compare(contenders: readonly Contender[], turns: number): Promise<readonly Standing[]> {
  const figures: number[][] = contenders.map(() => []);
  for (let turn = 0; turn < turns; turn++) {
    for (const [index, contender] of contenders.entries()) {
      (figures[index] as number[]).push(await contender.measure());
    }
  }
  const base = figures[0] as number[];
  return contenders.map(({ name }, index) => {
    const own = figures[index] as number[];
    return {
      name,
      median: median(own),
      ratio: median(own.map((figure, turn) => figure / (base[turn] as number))),
    };
  });
}

/** Prints the standings as a table. */
export function print(standings: readonly Standing[], unit: string): void {
  for (const { name, median: figure, ratio } of standings) {
    console.log(
      `${name.padEnd(44)} ${Math.round(figure).toLocaleString("en").padStart(12)} ${unit}  x ${ratio.toFixed(2)}`,
    );
  }
}

/** A program that answers HTTP requests. */
export interface Served {
  readonly url: string;
  readonly process: ChildProcess;
}

/** The environment without Holdfast's variables: a node rejects unknown ones. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_")));
}

/**
 * Starts a program and waits until it prints its address. `hear` is called with its output.
 * @param textBefore text before the address, if the program prints other addresses too
 */
export async function serve(
  args: readonly string[],
  hear: (chunk: string) => void = () => {},
  textBefore = "",
): Promise<Served> {
  const address = new RegExp(`${textBefore}(http://127\\.0\\.0\\.1:\\d+)`);
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: plainEnvironment(),
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    const listen = (chunk: Buffer): void => {
      output += chunk;
      hear(String(chunk));
      const found = address.exec(output)?.[1];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.once("exit", () => reject(new Error(`The program ended:\n${output}`)));
  });
  return { url, process: child };
}

/** Starts a node, follower or gateway of the built program, on free ports. @param command `start` or `gateway` */
export function serveNode(
  command: "start" | "gateway",
  dataDir: string,
  options: readonly string[],
): Promise<Served> {
  const cli = fileURLToPath(new URL("../../dist/cli.js", import.meta.url));
  const args = [cli, command, "--data-dir", dataDir, "--api-port", "0", ...options];
  // Followers and gateways log the address of their source first.
  return serve(
    command === "start" ? [...args, "--ntp-server", "off"] : args,
    undefined,
    "HTTP interface at ",
  );
}

/** Kills a process, and resolves when it has ended. */
export async function endProcess(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}
