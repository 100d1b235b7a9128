/** Compares the import of a chain with all indexes, with only the mandatory ones, and without the lists of highest entries. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { makeLongChain, type Recipients } from "../test/support/long-chain.ts";
import { report } from "./figures.ts";
import type { ImportFigures } from "./import-worker.ts";
import { inHome, median, runWorker, share, whole } from "./support.ts";

const IMPORTED = Number(process.env.HOLDFAST_BENCH_IMPORTED ?? 180_000);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
/** Target: speed with all indexes relative to the speed without. */
const WANTED = 0.8;
/** Target: cost of the indexes `richest` and `largest` together, as a part of the import. */
const WANTED_RANKINGS = 0.03;

/**
 * Alternates the two kinds, each import in its own process. Compares the processor time of all threads: signature
 * checks count, waiting does not.
 */
export async function compareImports(): Promise<void> {
  const folder = join(VECTORS, "chains", "load");
  for (const recipients of [0, 100_000]) await inHome((home) => reportRatio(home, folder, recipients));
}

async function reportRatio(home: string, folder: string, recipients: number): Promise<void> {
  const file = join(home, "blocks.bin");
  await makeLongChain(folder, file, IMPORTED, { count: recipients });
  const name = `${whole(recipients || 100)} accounts`.padStart(16);
  const importOnce = (switched: "on" | "off"): ImportFigures => importWith(folder, file, switched, "all");
  const ratios: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const [off, on] = [importOnce("off"), importOnce("on")];
    const writer = ({ samples }: ImportFigures): string =>
      median(samples.map(({ writerUs }) => writerUs)).toFixed(1);
    ratios.push(cost(off) / cost(on));
    console.log(
      `${name}   µs a transaction: ${cost(on).toFixed(1)} with all indexes (writer ${writer(on)}), ${cost(off).toFixed(1)} without (${writer(off)}); ` +
        `by time ${share(off.ms / on.ms)}, by processor time ${share(cost(off) / cost(on))}`,
    );
  }
  const what = `import with all indexes, against none, ${name.trim()}`;
  report(what, 100 * median(ratios), "%", { atLeast: 100 * WANTED });
}

/** Compares the writer's cost with both indexes of highest entries, and without one or both of them. */
export async function compareRankings(): Promise<void> {
  const folder = join(VECTORS, "chains", "load");
  for (const recipients of [{ count: 0 }, { count: 100_000, drawn: "by power law" }] as const)
    await inHome((home) => reportRankings(home, folder, recipients));
}

async function reportRankings(home: string, folder: string, recipients: Recipients): Promise<void> {
  const file = join(home, "blocks.bin");
  await makeLongChain(folder, file, IMPORTED, recipients);
  const name = `${whole(recipients.count || 100)} accounts`;
  const writerWithout = (names: string): number =>
    median(importWith(folder, file, names, "cheap").samples.map(({ writerUs }) => writerUs));
  const importUs = median(Array.from({ length: TURNS }, () => cost(importWith(folder, file, "on", "all"))));
  for (const disabled of ["richest", "largest", "richest,largest"]) {
    const costs: number[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      const [without, all] = [writerWithout(disabled), writerWithout("on")];
      costs.push(all - without);
      console.log(`${name}   µs of the writer: ${all.toFixed(2)}, without ${disabled} ${without.toFixed(2)}`);
    }
    const target = disabled.includes(",") ? { atMost: 100 * WANTED_RANKINGS } : undefined;
    const note = `${median(costs).toFixed(2)} of ${importUs.toFixed(1)} µs per transaction`;
    report(`${disabled} in the import, ${name}`, (100 * median(costs)) / importUs, "%", target, note);
  }
}

/** @param switched `on`, `off`, or the disabled indexes */
function importWith(folder: string, file: string, switched: string, checks: "cheap" | "all"): ImportFigures {
  const threads = String(DEFAULT_CHECKER_THREADS);
  const options = [threads, "samples", switched, "", "", checks];
  return inHome((place) =>
    runWorker<ImportFigures>("import-worker", [file, join(folder, "genesis.json"), place, ...options]),
  );
}

/** Processor time of all threads, µs per transaction. */
function cost({ processorMs, transactions }: ImportFigures): number {
  return (1_000 * processorMs) / transactions;
}
