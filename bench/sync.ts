/**
 * Compares a sync of the recorded chain `load` from a peer on loopback, from the first request to the last commit, with
 * the import of the same file: in alternating turns, each in its own process. One peer process serves all turns.
 * `npm run bench -- sync` prints the ratio of processor times; the target is at least 85 %. Then it reads the API during
 * a sync. With `--trusted`, sync and import assume the last block (`--assume-valid`). `HOLDFAST_BENCH_TURNS` (7) changes
 * the figures.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { encodeBase58 } from "../src/bytes/base58.ts";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import { report } from "./figures.ts";
import type { ImportFigures } from "./import-worker.ts";
import { inHome, median, runWorker, share, whole } from "./support.ts";
import type { Serving } from "./sync-peer-worker.ts";
import type { SyncFigures } from "./sync-worker.ts";

const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 7);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
/** Target: processor time of the import relative to that of the sync, percent. */
const WANTED = 85;
const WANTED_READ_MS = 50;

const folder = join(VECTORS, "chains", "load");
const source = [join(folder, "blocks.bin"), join(folder, "genesis.json")];
if (!existsSync(source[0])) throw new Error(`Recorded chain not found in ${folder}`);

const rate = ({ transactions, ms }: { readonly transactions: number; readonly ms: number }): number =>
  (transactions * 1_000) / ms;
/** Processor time of a transaction, µs. */
const cost = (figures: { readonly transactions: number; readonly processorMs: number }): number =>
  (figures.processorMs * 1_000) / figures.transactions;
const importOnce = (assumed: string): ImportFigures =>
  inHome((home) =>
    runWorker<ImportFigures>("import-worker", [
      ...source,
      home,
      String(DEFAULT_CHECKER_THREADS),
      "",
      "",
      "",
      assumed,
    ]),
  );
/** Runs a task while a separate process serves the chain. */
async function whileServed(home: string, task: (serving: Serving) => void): Promise<void> {
  const script = fileURLToPath(new URL("./sync-peer-worker.js", import.meta.url));
  const peer = spawn(process.execPath, [...process.execArgv, script, ...source, home], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = once(peer, "exit");
  try {
    const [line] = await Promise.race([once(peer.stdout, "data"), ended]);
    task(JSON.parse(String(line)) as Serving);
  } finally {
    peer.stdin.end();
    await ended;
  }
}

/** @param assumed id of the last block, or "" */
function compareWithImport({ port, height }: Serving, assumed: string): void {
  const syncOnce = (...options: string[]): SyncFigures =>
    inHome((home) =>
      runWorker<SyncFigures>("sync-worker", [
        source[1],
        home,
        String(port),
        String(height),
        assumed,
        ...options,
      ]),
    );
  console.log(
    "turn   import, µs     sync, µs     ratio   by the clock   commits   longest, ms   longest wait, ms     MB",
  );
  const ratios: number[] = [];
  const commits: number[] = [];
  const waits: number[] = [];
  let before = importOnce(assumed);
  for (let turn = 1; turn <= TURNS; turn++) {
    const figures = syncOnce();
    const after = importOnce(assumed);
    // The baseline is the mean of the measurements before and after: the machine's speed may have changed.
    const imported = (cost(before) + cost(after)) / 2;
    const ratio = imported / cost(figures);
    const clockRatio = (2 * rate(figures)) / (rate(before) + rate(after));
    before = after;
    ratios.push(ratio);
    commits.push(figures.longestCommitMs);
    waits.push(figures.longestWaitMs);
    console.log(
      `${String(turn).padStart(4)} ${imported.toFixed(1).padStart(12)} ${cost(figures).toFixed(1).padStart(12)} ${share(ratio).padStart(9)} ${share(clockRatio).padStart(14)} ${String(figures.commits).padStart(9)} ${whole(figures.longestCommitMs).padStart(13)} ${whole(figures.longestWaitMs).padStart(18)} ${whole(figures.maxRss / 2 ** 20).padStart(6)}`,
    );
  }
  const kind = assumed === "" ? "all checks" : "an assumed block";
  report(
    `sync of load with ${kind}, in processor time of its import`,
    100 * median(ratios),
    "%",
    { atLeast: WANTED },
    `longest commit ${whole(median(commits))} ms, longest wait for the thread ${whole(median(waits))} ms`,
  );
  const { reads } = syncOnce("reads");
  if (reads === undefined) return;
  const { requests, statusMs, balanceMs } = reads;
  const note = `99 of 100 requests while syncing with ${kind}, of ${requests}`;
  report("/node/status", statusMs, "ms", { atMost: WANTED_READ_MS }, note);
  report("/addresses/balance/:address", balanceMs, "ms", { atMost: WANTED_READ_MS }, note);
}

// The file ends with the signature of its last block.
const last = encodeBase58(readFileSync(source[0]).subarray(-64));
const assumed = process.argv.includes("--trusted") ? last : "";
await inHome((home) => whileServed(home, (serving) => compareWithImport(serving, assumed)));
