/**
 * Compares the restore of a snapshot, with all checks, with the import of the same chain, with all checks and indexes:
 * in alternating turns, each in its own process. `npm run bench -- restore` builds a chain of 200,000 transactions with
 * the keys of the recorded chain `load`; `--transactions=1000000` changes the number. The target is at most a
 * twentieth of the import for 1,000,000 transactions. `HOLDFAST_BENCH_TURNS` (3) changes the number of turns.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { createSnapshot } from "../src/storage/copies/create-snapshot.ts";
import { makeLongChain } from "../test/support/long-chain.ts";
import { report } from "./figures.ts";
import type { ImportFigures } from "./import-worker.ts";
import type { RestoreFigures } from "./restore-worker.ts";
import { inHome, median, runWorker, whole } from "./support.ts";

const OPTION = "--transactions=";
const TRANSACTIONS = Number(
  process.argv.find((argument) => argument.startsWith(OPTION))?.slice(OPTION.length) ?? 200_000,
);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
/** Target: time of the import divided by that of the restore. */
const WANTED = 20;

const folder = join(VECTORS, "chains", "load");
const seconds = (ms: number): string => (ms / 1_000).toFixed(2);

function importTo(home: string, file: string): ImportFigures {
  const genesis = join(folder, "genesis.json");
  return runWorker<ImportFigures>("import-worker", [file, genesis, home, String(DEFAULT_CHECKER_THREADS)]);
}

await inHome(async (shared) => {
  const file = join(shared, "blocks.bin");
  const snapshot = join(shared, "snapshot");
  console.log(`Building a chain of ${whole(TRANSACTIONS)} transactions ...`);
  await makeLongChain(folder, file, TRANSACTIONS);
  console.log(
    "turn   import, s   processor, s   restore, s   processor, s   import / restore   processor     MB",
  );
  const ratios: number[] = [];
  let sizes = "";
  for (let turn = 1; turn <= TURNS; turn++) {
    const imported = await inHome(async (home) => {
      const figures = importTo(home, file);
      const request = { target: snapshot, directory: join(home, "chain"), network: "bench" };
      if (turn === 1) await createSnapshot({ ...request, reserveBytes: 0, now: 0 });
      return figures;
    });
    const restored = inHome((home) => runWorker<RestoreFigures>("restore-worker", [snapshot, home]));
    const ratio = imported.ms / restored.ms;
    ratios.push(ratio);
    sizes = `${whole(restored.bytes / 1e6)} MB in chunks of ${whole(restored.compressedBytes / 1e6)} MB`;
    console.log(
      `${String(turn).padStart(4)} ${seconds(imported.ms).padStart(11)} ${seconds(imported.processorMs).padStart(14)} ` +
        `${seconds(restored.ms).padStart(12)} ${seconds(restored.processorMs).padStart(14)} ${ratio.toFixed(1).padStart(18)} ` +
        `${(imported.processorMs / restored.processorMs).toFixed(1).padStart(11)} ${whole(restored.maxRss / 2 ** 20).padStart(6)}`,
    );
  }
  const name = `import of ${whole(TRANSACTIONS)} transactions, against a restore`;
  report(name, median(ratios), "times", { atLeast: WANTED }, sizes);
});
