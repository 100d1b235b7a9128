/**
 * Compares the first fill of a database by the mirror, with all indexes, with the import of the same chain with all
 * checks, and measures the delay of a block, the undoing of 100 blocks and the size. In alternating turns, each in its
 * own process. `npm run bench -- mirror` builds a chain of 100,000 transactions with the keys of the recorded chain
 * `load`; `--transactions=300000` changes the number, and `HOLDFAST_BENCH_TURNS` (3) the number of turns. It starts a
 * PostgreSQL server of its own: `scripts/install-postgres.sh` installs it.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { PostgresServer } from "../src/postgres/testing/postgres-server.ts";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { makeLongChain } from "../test/support/long-chain.ts";
import { report } from "./figures.ts";
import type { ImportFigures } from "./import-worker.ts";
import type { MirrorFigures } from "./mirror-worker.ts";
import { inHome, median, percentile, runWorker, whole } from "./support.ts";

const OPTION = "--transactions=";
const TRANSACTIONS = Number(
  process.argv.find((argument) => argument.startsWith(OPTION))?.slice(OPTION.length) ?? 100_000,
);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
/** Blocks that the mirror follows one by one, and more than it undoes. */
const LIVE_BLOCKS = 120;
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));

const folder = join(VECTORS, "chains", "load");
const genesis = join(folder, "genesis.json");

await inHome(async (shared) => {
  const file = join(shared, "blocks.bin");
  console.log(`Building a chain of ${whole(TRANSACTIONS)} transactions ...`);
  await makeLongChain(folder, file, TRANSACTIONS);
  const server = await PostgresServer.start({ settings: { shared_buffers: "256MB" }, syncs: true });
  const ratios: number[] = [];
  const live: number[] = [];
  const undo: number[] = [];
  const bytes: number[] = [];
  const memory: number[] = [];
  try {
    console.log(
      "turn   import, tx/s   fill, tx/s     live p50   p99, ms   undo, ms   undone tx   bytes per tx     MB",
    );
    for (let turn = 1; turn <= TURNS; turn++) {
      const database = `bench_${turn}`;
      await server.createDatabase(database);
      await inHome(async (home) => {
        const threads = String(DEFAULT_CHECKER_THREADS);
        const imported = runWorker<ImportFigures>("import-worker", [file, genesis, home, threads]);
        const mirrored = runWorker<MirrorFigures>("mirror-worker", [
          genesis,
          join(home, "chain"),
          home,
          server.url("postgres", database),
          String(LIVE_BLOCKS),
        ]);
        const importRate = (1_000 * imported.transactions) / imported.ms;
        const fillRate = (1_000 * mirrored.transactions) / mirrored.fillMs;
        ratios.push((100 * fillRate) / importRate);
        live.push(...mirrored.liveMs);
        undo.push(mirrored.undoMs);
        bytes.push(mirrored.bytes / mirrored.transactions);
        memory.push(mirrored.maxRss / 2 ** 20);
        const columns = [
          turn,
          importRate,
          fillRate,
          median(mirrored.liveMs),
          percentile(mirrored.liveMs, 0.99),
          mirrored.undoMs,
          mirrored.undoneTransactions,
          bytes.at(-1) ?? 0,
          memory.at(-1) ?? 0,
        ];
        console.log(columns.map((figure) => whole(figure).padStart(11)).join(" "));
      });
    }
  } finally {
    await server.stop();
  }
  console.log();
  report("First fill with indexes, against import with all checks", median(ratios), "%", { atLeast: 150 });
  report("Commit of the node to commit in the database, median", median(live), "ms", { atMost: 50 });
  report("Commit of the node to commit in the database, 99 %", percentile(live, 0.99), "ms", { atMost: 200 });
  report("Undoing 100 blocks", median(undo), "ms", { atMost: 1_000 });
  report("Database per transaction", median(bytes), "bytes", { atMost: 900 });
  report("Peak memory of the mirror, with a chain's writer", Math.max(...memory), "MB");
});
