/**
 * The figures of benchmarks as data. A benchmark calls `report` once for each figure:
 *
 *     report("import of load, against bare checks", 100 * ratio, "%", { atLeast: 72 });
 *     report("first answer of a dev node, above bare Node", ms, "ms", { atMost: 400 }, "bare Node: 41 ms");
 *     report("block file", bytes / transactions, "bytes/transaction");
 *
 * `report` prints the figure with its target, and makes the process fail (exit code 1) if the target is missed. With
 * `npm run bench -- NAME --json`, each benchmark is a process, which adds its figures to a file: `run.ts` writes them to
 * `bench/figures.json`, under the benchmark's name with its options, with date, machine and versions. The tables of
 * docs/performance.md are made from that file (`test/support/performance-tables.ts`).
 */
import { execFileSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { arch, availableParallelism, cpus, loadavg, release, totalmem, type } from "node:os";

/** The bound that a figure has to keep. */
export type Target = { readonly atLeast: number } | { readonly atMost: number };

export interface Figure {
  /** What was measured and, for a ratio, against what: unique in its benchmark. */
  readonly name: string;
  readonly value: number;
  /** Unit of `value` and of the target, for example "%", "µs", "times", "MB". */
  readonly unit: string;
  readonly target?: Target;
  /** The baseline with its own figure, spread over turns, or another remark of one short line. */
  readonly note?: string;
}

/** One run of a benchmark. */
export interface Run {
  /** UTC, for example "2026-11-24". */
  readonly date: string;
  readonly machine: {
    readonly processor: string;
    readonly cores: number;
    readonly memoryGiB: number;
    readonly system: string;
    /** Mean number of busy or waiting threads in the minute before the run. */
    readonly load: number;
  };
  readonly versions: Readonly<Record<string, string>>;
  readonly figures: readonly Figure[];
}

/** The content of `bench/figures.json`: runs by the benchmark's name with its options, for example "import --trusted". */
export type Runs = Readonly<Record<string, Run>>;

/** Names the file to which a benchmark's process appends its figures, one JSON text per line. */
export const FIGURES_VARIABLE = "HOLDFAST_BENCH_FIGURES";

const SIGNIFICANT_DIGITS = 4;

/** Returns true if the figure keeps its target, or has none. */
export function meetsTarget({ value, target }: Pick<Figure, "value" | "target">): boolean {
  if (target === undefined) return true;
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}

/** Describes a target: "at least 72 %"; "" if there is none. */
export function targetText({ target, unit }: Pick<Figure, "target" | "unit">): string {
  if (target === undefined) return "";
  return "atLeast" in target ? `at least ${target.atLeast} ${unit}` : `at most ${target.atMost} ${unit}`;
}

/**
 * Prints a figure and, in a run with `--json`, records it. Sets exit code 1 if the figure misses its target.
 * @throws RangeError if the figure is not a finite number
 */
export function report(name: string, value: number, unit: string, target?: Target, note?: string): void {
  if (!Number.isFinite(value)) throw new RangeError(`Figure "${name}" is ${value}`);
  const figure: Figure = {
    name,
    value: Number(value.toPrecision(SIGNIFICANT_DIGITS)),
    unit,
    ...(target === undefined ? {} : { target }),
    ...(note === undefined ? {} : { note }),
  };
  const met = meetsTarget(figure);
  const wanted = target === undefined ? "" : ` (target: ${targetText(figure)}${met ? "" : ", MISSED"})`;
  console.log(`${name}: ${figure.value} ${unit}${wanted}${note === undefined ? "" : `; ${note}`}`);
  if (!met) process.exitCode = 1;
  const file = process.env[FIGURES_VARIABLE];
  if (file !== undefined) appendFileSync(file, `${JSON.stringify(figure)}\n`);
}

/** The figures that a benchmark's process appended to its file. @throws Error if two have the same name */
export function recordedFigures(file: string): Figure[] {
  if (!existsSync(file)) return [];
  const figures = readFileSync(file, "utf8")
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as Figure);
  const names = figures.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new Error(`Two figures have the name "${twice}"`);
  return figures;
}

/** The commit of this clone, with a "+" if files differ from it; "unknown" without git. */
function commit(): string {
  try {
    const git = (...args: string[]): string => execFileSync("git", args, { encoding: "utf8" }).trim();
    const isChanged = git("status", "--porcelain", "--untracked-files=no") !== "";
    return `${git("rev-parse", "--short", "HEAD")}${isChanged ? "+" : ""}`;
  } catch {
    return "unknown";
  }
}

/** Date, machine and versions of a run that begins now. */
export function describeRun(): Omit<Run, "figures"> {
  const { node = "", v8 = "", openssl = "" } = process.versions;
  return {
    date: new Date().toISOString().slice(0, 10),
    machine: {
      processor: `${cpus()[0]?.model ?? "unknown"} (${arch()})`,
      cores: availableParallelism(),
      memoryGiB: Math.round(totalmem() / 2 ** 30),
      system: `${type()} ${release().split("-")[0]}`,
      load: Number((loadavg()[0] as number).toFixed(1)),
    },
    versions: { holdfast: commit(), node, v8, openssl },
  };
}

/** Adds a run to a figures file, in place of the previous run of that benchmark. Sorts runs by name. */
export function saveRun(file: string, name: string, run: Run): void {
  const runs: Record<string, Run> = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as Runs) : {};
  runs[name] = run;
  const sorted = Object.fromEntries(Object.entries(runs).sort(([a], [b]) => (a < b ? -1 : 1)));
  writeFileSync(file, `${JSON.stringify(sorted, undefined, 2)}\n`);
}
