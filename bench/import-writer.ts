/** Imports of long chains, on which all code is compiled: the writer's cost by itself and next to signature checks. */
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { makeLongChain, type Recipients } from "../test/support/long-chain.ts";
import { report } from "./figures.ts";
import type { ImportFigures } from "./import-worker.ts";
import { inHome, median, runWorker, share, verifiers, whole } from "./support.ts";

/** Length of the chains, transactions. */
const LENGTH = Number(process.env.HOLDFAST_BENCH_LENGTH ?? 600_000);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
const ACCOUNTS = 1_000_000;
const VERIFY_MS = 3_000;
/** Targets: import speed relative to bare signature checks on all cores. */
const WANTED_WARM = 0.82;
/** Targets: the writer's cost with a million accounts relative to the cost with 100. */
const WANTED_POWER_LAW = 1.5;
const WANTED_UNIFORM = 2.5;
/** Target: transactions per second of the writer. */
const WANTED_CEILING = 100_000;

interface LongImport {
  readonly figures: ImportFigures;
  /** Of the second half of the chain, when all code is compiled. */
  readonly writerUs: number;
  readonly rate: number;
}

/** @param checks `cheap` checks accept every signature */
function importChain(folder: string, file: string, threads: number, checks: "cheap" | "all"): LongImport {
  const figures = inHome((home) =>
    runWorker<ImportFigures>("import-worker", [
      file,
      join(folder, "genesis.json"),
      home,
      String(threads),
      "samples",
      "",
      "",
      "",
      checks,
    ]),
  );
  const late = figures.samples.slice(figures.samples.length >> 1);
  return {
    figures,
    writerUs: median(late.map(({ writerUs }) => writerUs)),
    rate: median(late.map(({ rate }) => rate)),
  };
}

async function build(folder: string, file: string, recipients?: Recipients): Promise<void> {
  console.log(`Building a chain of ${whole(LENGTH)} transactions ...`);
  await makeLongChain(folder, file, LENGTH, recipients);
}

/** Compares the whole import of a long chain with bare signature checks. */
export function compareWarm(folder: string): Promise<void> {
  return inHome(async (home) => {
    const file = join(home, "blocks.bin");
    await build(folder, file);
    const limiting = await verifiers(availableParallelism(), VERIFY_MS);
    const ratios: number[] = [];
    const costRatios: number[] = [];
    let before = await limiting.measure();
    let checkUsBefore = limiting.checkUs;
    for (let turn = 1; turn <= TURNS; turn++) {
      const { figures, writerUs } = importChain(folder, file, DEFAULT_CHECKER_THREADS, "all");
      const after = await limiting.measure();
      const limit = (before + after) / 2;
      before = after;
      const { transactions, ms, processorMs } = figures;
      const cost = (1_000 * processorMs) / transactions;
      // The same by processor time: other work on the machine slows both, but not equally.
      const checkUs = (checkUsBefore + limiting.checkUs) / 2;
      checkUsBefore = limiting.checkUs;
      costRatios.push(checkUs / cost);
      ratios.push((transactions * 1_000) / ms / limit);
      console.log(
        `turn ${turn}   ${whole(limit).padStart(7)} verifications/s   ${whole((transactions * 1_000) / ms).padStart(7)} transactions/s   ${share(ratios.at(-1) ?? 0)}   ` +
          `processor time ${cost.toFixed(1)} µs, a check ${checkUs.toFixed(1)} µs: ${share(checkUs / cost)}   writer ${writerUs.toFixed(1)} µs`,
      );
    }
    await limiting.close();
    const name = `import of ${whole(LENGTH)} transactions, against bare checks`;
    report(name, 100 * median(ratios), "%", { atLeast: 100 * WANTED_WARM });
    report(`${name}, by processor time`, 100 * median(costRatios), "%");
  });
}

/** Compares the writer's cost by number of accounts. */
export function compareWide(folder: string): Promise<void> {
  return inHome(async (home) => {
    const kinds: readonly {
      readonly name: string;
      readonly recipients: Recipients;
      readonly wanted?: number;
    }[] = [
      { name: "100 accounts", recipients: { count: 0 } },
      {
        name: "1,000,000 by power law",
        recipients: { count: ACCOUNTS, drawn: "by power law" },
        wanted: WANTED_POWER_LAW,
      },
      { name: "1,000,000 uniformly", recipients: { count: ACCOUNTS }, wanted: WANTED_UNIFORM },
    ];
    const files = kinds.map((_, i) => join(home, `blocks-${i}.bin`));
    for (const [i, { recipients }] of kinds.entries()) await build(folder, files[i], recipients);
    const costs: number[][] = kinds.map(() => []);
    for (let turn = 0; turn < TURNS; turn++)
      for (const [i] of kinds.entries())
        costs[i].push(importChain(folder, files[i], DEFAULT_CHECKER_THREADS, "cheap").writerUs);
    for (const [i, { name, wanted }] of kinds.entries()) {
      const ratio = median(costs[i].map((cost, turn) => cost / costs[0][turn]));
      const note = `${median(costs[i]).toFixed(1)} µs per transaction`;
      const target = wanted === undefined ? undefined : { atMost: wanted };
      report(`writer with ${name}, against 100 accounts`, ratio, "times", target, note);
    }
  });
}

/** Measures the writer when signature checks cost nothing. */
export function measureCeiling(folder: string): Promise<void> {
  return inHome(async (home) => {
    const file = join(home, "blocks.bin");
    await build(folder, file);
    const rates: number[] = [];
    for (let turn = 1; turn <= TURNS; turn++) {
      const { writerUs, rate } = importChain(folder, file, DEFAULT_CHECKER_THREADS, "cheap");
      rates.push(1_000_000 / writerUs);
      console.log(
        `turn ${turn}   ${writerUs.toFixed(2)} µs of the writer per transaction: ${whole(1_000_000 / writerUs)} per second of its processor time   ${whole(rate)} transactions/s`,
      );
    }
    const target = { atLeast: WANTED_CEILING };
    report("writer with checks that cost nothing", median(rates), "transactions/s", target);
  });
}
