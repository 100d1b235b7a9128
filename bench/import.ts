/**
 * Compares the import of the recorded chain `load`, with all checks and all indexes, with bare signature verification
 * on all cores: in alternating turns, each import in its own process, since the speed of a machine changes within
 * seconds.
 * `npm run bench -- import` prints the ratio; the target is at least 72 %. `npm run bench -- import --long` instead
 * imports a chain of three million transactions, built with the keys of `load`, and compares the cost per transaction
 * in the first and the last tenth. `npm run bench -- import --trusted` compares the processor time of imports of `load`
 * with all checks and with `--assume-valid`, in alternating pairs; the target is three times. `--warm`, `--wide` and
 * `--ceiling` import chains of 600,000 transactions: `bench/import-writer.ts`. `--light`, `--disk` and `--memory` measure
 * light blocks, disk space and memory: `bench/light-blocks.ts`. `HOLDFAST_BENCH_LONG` (3000000),
 * `HOLDFAST_BENCH_LENGTH` (600000), `HOLDFAST_BENCH_TURNS` (7) and `HOLDFAST_BENCH_THREADS` (like the threads option of
 * `holdfast import`) change the figures.
 */
import { existsSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { makeLongChain } from "../test/support/long-chain.ts";
import { report } from "./figures.ts";
import type { ImportFigures } from "./import-worker.ts";
import { compareWarm, compareWide, measureCeiling } from "./import-writer.ts";
import { measureDisk, measureLightBlocks, measureMemory } from "./light-blocks.ts";
import { inHome, median, runWorker, share, verifiers, whole } from "./support.ts";

const LONG = Number(process.env.HOLDFAST_BENCH_LONG ?? (process.argv.includes("--long") ? 3_000_000 : 0));
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 7);
const THREADS = Number(process.env.HOLDFAST_BENCH_THREADS ?? DEFAULT_CHECKER_THREADS);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
const VERIFY_MS = 2_000;
/** Target: import speed of `load` relative to bare signature verification. */
const WANTED = 0.72;
/** Target: processor time of an import with all checks, relative to a trusted one. */
const WANTED_TRUSTED = 3;
const MEMORY_LIMIT = 512 * 2 ** 20;

/** Imports a file in a separate process. */
function importOnce(file: string, genesis: string, extra: readonly string[] = []): ImportFigures {
  return inHome((home) =>
    runWorker<ImportFigures>("import-worker", [file, genesis, home, String(THREADS), ...extra]),
  );
}

async function compareWithLimit(): Promise<void> {
  const folder = join(VECTORS, "chains", "load");
  if (!existsSync(join(folder, "blocks.bin"))) throw new Error(`Recorded chain not found in ${folder}`);
  const limiting = await verifiers(availableParallelism(), VERIFY_MS);
  console.log("turn   verifications/s   transactions/s     ratio   with start     MB");
  const ratios: number[] = [];
  const limits: number[] = [];
  const rates: number[] = [];
  let memory = 0;
  let before = await limiting.measure();
  for (let turn = 1; turn <= TURNS; turn++) {
    const { transactions, ms, processMs, maxRss } = importOnce(
      join(folder, "blocks.bin"),
      join(folder, "genesis.json"),
    );
    const after = await limiting.measure();
    // The baseline is the mean of the measurements before and after: the machine's speed may have changed.
    const limit = (before + after) / 2;
    before = after;
    const rate = (transactions * 1_000) / ms;
    const ratio = rate / limit;
    const withStart = (transactions * 1_000) / processMs / limit;
    console.log(
      `${String(turn).padStart(4)} ${whole(limit).padStart(17)} ${whole(rate).padStart(16)} ${share(ratio).padStart(9)} ${share(withStart).padStart(12)} ${whole(maxRss / 2 ** 20).padStart(6)}`,
    );
    ratios.push(ratio);
    limits.push(limit);
    rates.push(rate);
    memory = Math.max(memory, maxRss);
  }
  await limiting.close();
  const note =
    `${whole(median(rates))} transactions/s; bare checks: ${whole(median(limits))}/s ` +
    `on ${availableParallelism()} cores`;
  report("import of load, against bare checks", 100 * median(ratios), "%", { atLeast: 100 * WANTED }, note);
  report("peak resident memory", memory / 2 ** 20, "MB", { atMost: MEMORY_LIMIT / 2 ** 20 });
}

async function longImport(transactions: number): Promise<void> {
  await inHome(async (home) => {
    const file = join(home, "blocks.bin");
    const genesis = join(VECTORS, "chains", "load", "genesis.json");
    console.log(`Building a chain of ${whole(transactions)} transactions ...`);
    await makeLongChain(join(VECTORS, "chains", "load"), file, transactions);
    const { samples, ms, maxRss, maxOwn, transactions: imported } = importOnce(file, genesis, ["samples"]);
    const tenth = Math.floor(samples.length / 10);
    if (tenth < 3) throw new Error("The chain is too short to have tenths");
    const costs = (part: typeof samples): number => median(part.map(({ writerUs }) => writerUs));
    const first = costs(samples.slice(0, tenth));
    const last = costs(samples.slice(-tenth));
    for (let i = 0; i < 10; i++) {
      const part = samples.slice(i * tenth, (i + 1) * tenth);
      const speed = median(part.map(({ rate }) => rate));
      console.log(
        `tenth ${String(i + 1).padStart(2)}   ${costs(part).toFixed(1).padStart(6)} µs of the writer per transaction   ${whole(speed).padStart(8)} transactions/s`,
      );
    }
    const note = `${whole(imported)} transactions in ${(ms / 1_000).toFixed(0)} s`;
    report("writer in the last tenth, against the first", last / first, "times", { atMost: 1.15 }, note);
    // The system reclaims file pages when it needs memory.
    const pages = `including pages of the database file: ${whole(maxRss / 2 ** 20)} MB`;
    report("peak memory", maxOwn / 2 ** 20, "MB", { atMost: MEMORY_LIMIT / 2 ** 20 }, pages);
  });
}

/** Compares imports with and without checks of signatures. */
function compareTrusted(): void {
  const folder = join(VECTORS, "chains", "load");
  const [file, genesis] = [join(folder, "blocks.bin"), join(folder, "genesis.json")];
  // The file ends with the signature of its last block.
  const id = encodeBase58(readFileSync(file).subarray(-64));
  const cost = (assumed: string): number => {
    const { transactions, processorMs } = importOnce(file, genesis, ["", "", "", assumed]);
    return (processorMs * 1_000) / transactions;
  };
  const pairs = Array.from({ length: TURNS }, () => ({ checked: cost(""), trusted: cost(id) }));
  for (const { checked, trusted } of pairs)
    console.log(
      `checked ${checked.toFixed(1)} µs   trusted ${trusted.toFixed(1)} µs of processor time per transaction   ${(checked / trusted).toFixed(2)} times`,
    );
  const ratio = median(pairs.map(({ checked, trusted }) => checked / trusted));
  const target = { atLeast: WANTED_TRUSTED };
  report("import of load, all checks against trusted, processor time", ratio, "times", target);
}

const load = join(VECTORS, "chains", "load");
/** Benchmarks of long chains by flag. */
const writing = Object.entries({ warm: compareWarm, wide: compareWide, ceiling: measureCeiling }).find(
  ([flag]) => process.argv.includes(`--${flag}`),
)?.[1];
if (writing !== undefined) {
  await writing(load);
} else if (process.argv.includes("--light")) measureLightBlocks(load);
else if (process.argv.includes("--disk")) measureDisk(load);
else if (process.argv.includes("--memory")) await measureMemory(load);
else if (process.argv.includes("--trusted")) compareTrusted();
else if (LONG > 0) await longImport(LONG);
else await compareWithLimit();
