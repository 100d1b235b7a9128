/**
 * Compares the first fill of a follower that checks no signatures with the import of the same chain with all checks:
 * in alternating turns, each in its own process, both with all indexes. `npm run bench -- follow` builds a chain of
 * 200,000 transactions with the keys of the recorded chain `load`; `--transactions=1000000` changes the number, and
 * `HOLDFAST_BENCH_TURNS` (3) the number of turns.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { makeLongChain } from "../test/support/long-chain.ts";
import { report } from "./figures.ts";
import type { FollowFigures } from "./follow-worker.ts";
import type { ImportFigures } from "./import-worker.ts";
import { inHome, median, runWorker, whole } from "./support.ts";

const OPTION = "--transactions=";
const TRANSACTIONS = Number(
  process.argv.find((argument) => argument.startsWith(OPTION))?.slice(OPTION.length) ?? 200_000,
);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));

const folder = join(VECTORS, "chains", "load");
const genesis = join(folder, "genesis.json");
const seconds = (ms: number): string => (ms / 1_000).toFixed(2);

await inHome(async (shared) => {
  const file = join(shared, "blocks.bin");
  console.log(`Building a chain of ${whole(TRANSACTIONS)} transactions ...`);
  await makeLongChain(folder, file, TRANSACTIONS);
  console.log("turn   import, s   processor, s   follow, s   processor, s   µs per transaction     MB");
  const costs: number[] = [];
  const ratios: number[] = [];
  const elapsed: number[] = [];
  for (let turn = 1; turn <= TURNS; turn++)
    inHome((home) => {
      const threads = String(DEFAULT_CHECKER_THREADS);
      const imported = runWorker<ImportFigures>("import-worker", [file, genesis, home, threads]);
      const followed = inHome((to) =>
        runWorker<FollowFigures>("follow-worker", [genesis, join(home, "chain"), to]),
      );
      costs.push((1_000 * followed.processorMs) / followed.transactions);
      ratios.push(imported.processorMs / followed.processorMs);
      elapsed.push(imported.ms / followed.ms);
      console.log(
        `${String(turn).padStart(4)} ${seconds(imported.ms).padStart(11)} ${seconds(imported.processorMs).padStart(14)} ` +
          `${seconds(followed.ms).padStart(11)} ${seconds(followed.processorMs).padStart(14)} ${(costs.at(-1) ?? 0).toFixed(1).padStart(20)} ${whole(followed.maxRss / 2 ** 20).padStart(6)}`,
      );
    });
  console.log();
  report("Follower without signature checks, per transaction", median(costs), "µs", { atMost: 30 });
  report("Import with all checks against first fill, processor time", median(ratios), "times", {
    atLeast: 3,
  });
  report("Import with all checks against first fill, elapsed", median(elapsed), "times");
});
