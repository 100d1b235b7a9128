/**
 * Compares the first fill of a follower that checks no signatures with the import of the same chain with all checks:
 * in alternating turns, each in its own process, both with all indexes. `npm run bench -- follow` builds a chain of
 * 200,000 transactions with the keys of the recorded chain `load`; `--transactions=1000000` changes the number, and
 * `HOLDFAST_BENCH_TURNS` (3) the number of turns. Each turn also measures the processor time of a source for each of three
 * streams of its whole chain (Linux only).
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { formatCursor } from "../src/api/chain-position.ts";
import { API_KEY } from "../src/api/testing/server.ts";
import { chainStart } from "../src/chain/reading/changes.ts";
import { systemClock } from "../src/runtime/system.ts";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { HttpUnitSource } from "../src/unit-sources/http-unit-source.ts";
import { makeLongChain } from "../test/support/long-chain.ts";
import { report } from "./figures.ts";
import type { FollowFigures } from "./follow-worker.ts";
import { threadTimes } from "./http-load.ts";
import type { ImportFigures } from "./import-worker.ts";
import { inHome, median, runWorker, type Served, serve, whole } from "./support.ts";

const OPTION = "--transactions=";
const TRANSACTIONS = Number(
  process.argv.find((argument) => argument.startsWith(OPTION))?.slice(OPTION.length) ?? 200_000,
);
const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 3);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));

const folder = join(VECTORS, "chains", "load");
const genesis = join(folder, "genesis.json");
/** Streams that are open at the same time. */
const STREAMS = 3;

const worker = fileURLToPath(new URL("./follow-source-worker.js", import.meta.url));

/** Reads the whole chain of a source, and applies nothing. */
async function readAll({ url }: Served): Promise<void> {
  const stop = new AbortController();
  const source = new HttpUnitSource({ url, key: () => API_KEY, clock: systemClock });
  let last = "";
  for await (const frame of source.open(chainStart, stop.signal)) {
    if (frame.kind === "unit") last = formatCursor(frame.record);
    if (frame.kind === "tip" && formatCursor(frame.cursor) === last) return stop.abort();
  }
}

const timeOf = (source: Served): number =>
  [...threadTimes(source).values()].reduce((sum, time) => sum + time, 0);

/** Returns the processor time of a source for each of several streams of its whole chain, µs. */
async function costOfStream(store: string): Promise<number> {
  const source = await serve([worker, genesis, store]);
  try {
    // Compiles the code.
    await readAll(source);
    const before = timeOf(source);
    await Promise.all(Array.from({ length: STREAMS }, () => readAll(source)));
    return (timeOf(source) - before) / STREAMS;
  } finally {
    const exit = new Promise((resolve) => source.process.once("exit", resolve));
    source.process.kill("SIGTERM");
    await exit;
  }
}

const seconds = (ms: number): string => (ms / 1_000).toFixed(2);

await inHome(async (shared) => {
  const file = join(shared, "blocks.bin");
  console.log(`Building a chain of ${whole(TRANSACTIONS)} transactions ...`);
  await makeLongChain(folder, file, TRANSACTIONS);
  console.log("turn   import, s   processor, s   follow, s   processor, s   µs per transaction     MB");
  const costs: number[] = [];
  const ratios: number[] = [];
  const elapsed: number[] = [];
  const streamCosts: number[] = [];
  const streamShares: number[] = [];
  for (let turn = 1; turn <= TURNS; turn++)
    await inHome(async (home) => {
      const threads = String(DEFAULT_CHECKER_THREADS);
      const imported = runWorker<ImportFigures>("import-worker", [file, genesis, home, threads]);
      const followed = inHome((to) =>
        runWorker<FollowFigures>("follow-worker", [genesis, join(home, "chain"), to]),
      );
      const streamed = await costOfStream(join(home, "chain"));
      streamCosts.push(streamed / followed.transactions);
      streamShares.push(streamed / (10 * imported.processorMs));
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
  report(
    "Source, processor time for each follower that fills itself, per transaction",
    median(streamCosts),
    "µs",
  );
  report(
    "Source, processor time for each follower that fills itself, against import",
    median(streamShares),
    "%",
    {
      atMost: 3,
    },
  );
});
