/** Compares the import of a chain with all indexes and with only the mandatory ones. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { makeLongChain } from "../test/support/long-chain.ts";
import { report } from "./figures.ts";
import type { ImportFigures } from "./import-worker.ts";
import { inHome, median, runWorker, share, whole } from "./support.ts";

const IMPORTED = Number(process.env.HOLDFAST_BENCH_IMPORTED ?? 180_000);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
/** Target: speed with all indexes relative to the speed without. */
const WANTED = 0.8;

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
  const importOnce = (switched: "on" | "off"): ImportFigures =>
    inHome((place) =>
      runWorker<ImportFigures>("import-worker", [
        file,
        join(folder, "genesis.json"),
        place,
        String(DEFAULT_CHECKER_THREADS),
        "samples",
        switched,
      ]),
    );
  const ratios: number[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    const [off, on] = [importOnce("off"), importOnce("on")];
    const cost = ({ processorMs, transactions }: ImportFigures): number =>
      (1_000 * processorMs) / transactions;
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
