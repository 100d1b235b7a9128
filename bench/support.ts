/** What the benchmarks share: timing in alternating turns, medians, and the machine's signature checking. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { Worker } from "node:worker_threads";

/** Median of the figures. */
export function median(figures: readonly number[]): number {
  const sorted = [...figures].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** A part of something, and a figure, as tables show them. */
export const share = (ratio: number): string => `${(100 * ratio).toFixed(1)} %`;
export const whole = (figure: number): string => Math.round(figure).toLocaleString("en");

/** Does something with a folder that is gone afterwards. */
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

/** Runs a worker in a process of its own, to its end. @returns the figures that it printed */
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

/** Operations a second of a synchronous task, run for about `ms`. */
export function rate(task: () => void, ms: number): number {
  const start = performance.now();
  let count = 0;
  let elapsed = 0;
  while (elapsed < ms) {
    // Looking at the clock costs more than the fastest tasks: several runs between two looks.
    for (let i = 0; i < 16; i++) task();
    count += 16;
    elapsed = performance.now() - start;
  }
  return (count * 1000) / elapsed;
}

/** Threads that check signatures for as long as they are asked to. */
export interface Verifiers {
  /** Verifications a second of all of them together. */
  measure(): Promise<number>;
  close(): Promise<void>;
}

/** Starts so many threads, each of which verifies for `ms` in a turn. */
export async function verifiers(count: number, ms: number): Promise<Verifiers> {
  const pool = await Promise.all(
    Array.from({ length: count }, async () => {
      const worker = new Worker(new URL("./verify-worker.js", import.meta.url), { workerData: { ms } });
      await once(worker, "message");
      return worker;
    }),
  );
  return {
    async measure() {
      const rates = await Promise.all(
        pool.map(async (worker) => {
          worker.postMessage("go");
          const [figure] = await once(worker, "message");
          return figure as number;
        }),
      );
      return rates.reduce((sum, figure) => sum + figure, 0);
    },
    async close() {
      for (const worker of pool) await worker.terminate();
    },
  };
}

/** A named measure that yields operations a second. */
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
 * Measures the contenders in turn, A B C A B C ..., and compares each with the first one turn by turn, since
 * machines change their speed within seconds.
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

/** A program that answers HTTP. */
export interface Served {
  readonly url: string;
  readonly process: ChildProcess;
}

/** The environment without names of ours: a node refuses those that it does not know. */
export function plainEnvironment(): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("HOLDFAST_")));
}

/** Starts a program, and waits until it says where it listens. `hear` is told what it prints. */
export async function serve(
  args: readonly string[],
  hear: (chunk: string) => void = () => {},
): Promise<Served> {
  const child = spawn(process.execPath, args, {
    stdio: ["ignore", "pipe", "pipe"],
    env: plainEnvironment(),
  });
  const url = await new Promise<string>((resolve, reject) => {
    let output = "";
    const listen = (chunk: Buffer): void => {
      output += chunk;
      hear(String(chunk));
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(output)?.[0];
      if (found !== undefined) resolve(found);
    };
    child.stdout.on("data", listen);
    child.stderr.on("data", listen);
    child.once("exit", () => reject(new Error(`It ended:\n${output}`)));
  });
  return { url, process: child };
}
