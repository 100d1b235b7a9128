/**
 * `npm run simulate -- --seeds 1000 --nodes 7 [--from N] [--workers N]` runs seeds and names those that fail;
 * `npm run simulate -- --seed N --nodes 7` runs one and writes its log. `--equal-forgers SECONDS` runs private networks with
 * this average block delay instead.
 */
import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import { equalForgers, mixed, type Scenario } from "./scenarios.ts";
import { simulate } from "./simulation.ts";

const USAGE =
  "Usage: npm run simulate -- (--seeds N [--from N] [--workers N] | --seed N) [--nodes N] [--equal-forgers SECONDS]\n";

/** A worker's task: every `step`-th seed. */
interface Share {
  readonly from: number;
  readonly to: number;
  readonly step: number;
  readonly nodes: number;
  /** Average block delay of equal forgers, s; undefined: the mixed network. */
  readonly equalSeconds: number | undefined;
}

/** A worker's result for one seed. */
interface Outcome {
  readonly seed: number;
  readonly failure: string | undefined;
  readonly switches: number;
  readonly deepest: number;
  readonly crashes: number;
}

function numbersOf(args: readonly string[]): ReadonlyMap<string, number> {
  const numbers = new Map<string, number>();
  for (let i = 0; i < args.length; i += 2) {
    const value = args[i + 1] ?? "";
    if (!/^--(seeds|seed|from|nodes|workers|equal-forgers)$/.test(args[i]) || !/^\d{1,9}$/.test(value)) {
      process.stderr.write(USAGE);
      process.exit(2);
    }
    numbers.set(args[i].slice(2), Number(value));
  }
  return numbers;
}

const textOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

function scenarioOf(equalSeconds: number | undefined): Scenario {
  return equalSeconds === undefined ? mixed : equalForgers(1_000 * equalSeconds);
}

async function runShare(
  { from, to, step, nodes, equalSeconds }: Share,
  tell: (outcome: Outcome) => void,
): Promise<void> {
  const scenario = scenarioOf(equalSeconds);
  for (let seed = from; seed < to; seed += step) {
    try {
      const { switches, deepest, crashes } = await simulate({ seed, nodes, scenario });
      tell({ seed, failure: undefined, switches, deepest, crashes });
    } catch (error) {
      // Any error is a failure of this seed.
      tell({ seed, failure: textOf(error), switches: 0, deepest: 0, crashes: 0 });
    }
  }
}

/** Runs one seed and writes its log. @returns the exit code */
async function replay(seed: number, nodes: number, scenario: Scenario): Promise<number> {
  try {
    const result = await simulate({
      seed,
      nodes,
      scenario,
      write: (line) => process.stdout.write(`${line}\n`),
    });
    process.stderr.write(`Seed ${seed} passed: ${JSON.stringify(result)}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`Seed ${seed} failed: ${textOf(error)}\n`);
    return 1;
  }
}

/** Runs many seeds in several processes. @returns the exit code */
async function runMany({ from, to, step: workers, nodes, equalSeconds }: Share): Promise<number> {
  const count = to - from;
  const equal = equalSeconds === undefined ? "" : ` --equal-forgers ${equalSeconds}`;
  const begin = performance.now();
  const sums = { done: 0, failed: 0, switches: 0, deepest: 0, crashes: 0 };
  const tell = ({ seed, failure, switches, deepest, crashes }: Outcome): void => {
    sums.done++;
    sums.switches += switches;
    sums.deepest = Math.max(sums.deepest, deepest);
    sums.crashes += crashes;
    if (failure !== undefined) {
      sums.failed++;
      process.stdout.write(`Seed ${seed} failed: ${failure.split("\n")[0]}\n`);
      process.stdout.write(`  npm run simulate -- --seed ${seed} --nodes ${nodes}${equal}\n`);
    }
    if (sums.done % 50 === 0) process.stderr.write(`${sums.done} of ${count}\n`);
  };
  const shares = Array.from({ length: workers }, (_, i): Share => {
    return { from: from + i, to, step: workers, nodes, equalSeconds };
  });
  if (workers === 1) await runShare(shares[0], tell);
  else await Promise.all(shares.map((share) => inProcess(share, tell)));
  const seconds = ((performance.now() - begin) / 1_000).toFixed(0);
  process.stdout.write(
    `${sums.done} seeds of ${nodes} nodes in ${seconds} s, ${sums.failed} failed: ${sums.switches} switches to other branches ` +
      `(${sums.deepest} blocks deep at most), ${sums.crashes} crashes\n`,
  );
  return sums.failed === 0 && sums.done === count ? 0 : 1;
}

function inProcess(share: Share, tell: (outcome: Outcome) => void): Promise<void> {
  const worker = fork(fileURLToPath(import.meta.url), ["--worker", JSON.stringify(share)]);
  worker.on("message", (outcome) => tell(outcome as Outcome));
  return new Promise((resolve) => worker.on("exit", () => resolve()));
}

async function main(args: readonly string[]): Promise<number> {
  if (args[0] === "--worker") {
    // Set by the parent process.
    await runShare(JSON.parse(args[1]) as Share, (outcome) => process.send?.(outcome));
    return 0;
  }
  const numbers = numbersOf(args);
  const nodes = numbers.get("nodes") ?? 7;
  const seed = numbers.get("seed");
  const equalSeconds = numbers.get("equal-forgers");
  if (seed !== undefined) return replay(seed, nodes, scenarioOf(equalSeconds));
  const from = numbers.get("from") ?? 1;
  const to = from + (numbers.get("seeds") ?? 100);
  return runMany({ from, to, step: Math.max(1, numbers.get("workers") ?? 1), nodes, equalSeconds });
}

process.exitCode = await main(process.argv.slice(2));
if (process.connected) process.disconnect();
