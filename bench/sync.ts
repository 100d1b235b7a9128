/**
 * Compares a sync of the recorded chain `load` from a peer on loopback, from the first request to the last commit, with
 * the import of the same file: in alternating turns, each in its own process. One peer process serves all turns.
 * `npm run bench -- sync` prints the ratio; the target is at least 70 %. `HOLDFAST_BENCH_TURNS` (7) changes the
 * figures.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { DEFAULT_CHECKER_THREADS } from "../src/runtime/threads/thread-count.ts";
import type { ImportFigures } from "./import-worker.ts";
import { inHome, median, runWorker, share, whole } from "./support.ts";
import type { Serving } from "./sync-peer-worker.ts";
import type { SyncFigures } from "./sync-worker.ts";

const TURNS = Number(process.env.HOLDFAST_BENCH_TURNS ?? 7);
const VECTORS = process.env.HOLDFAST_VECTORS ?? fileURLToPath(new URL("../../test/vectors", import.meta.url));
/** Target: speed of the sync of `load` relative to its import. */
const WANTED = 0.7;

const folder = join(VECTORS, "chains", "load");
const source = [join(folder, "blocks.bin"), join(folder, "genesis.json")];
if (!existsSync(source[0])) throw new Error(`Recorded chain not found in ${folder}`);

const rate = ({ transactions, ms }: { readonly transactions: number; readonly ms: number }): number =>
  (transactions * 1_000) / ms;
const importOnce = (): number =>
  rate(
    inHome((home) =>
      runWorker<ImportFigures>("import-worker", [...source, home, String(DEFAULT_CHECKER_THREADS)]),
    ),
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

function compareWithImport({ port, height }: Serving): void {
  const syncOnce = (): SyncFigures =>
    inHome((home) => runWorker<SyncFigures>("sync-worker", [source[1], home, String(port), String(height)]));
  console.log("turn   import/s     sync/s     ratio   commits   longest, ms   longest wait, ms     MB");
  const ratios: number[] = [];
  const commits: number[] = [];
  const waits: number[] = [];
  let before = importOnce();
  for (let turn = 1; turn <= TURNS; turn++) {
    const figures = syncOnce();
    const after = importOnce();
    // The baseline is the mean of the measurements before and after: the machine's speed may have changed.
    const imported = (before + after) / 2;
    before = after;
    const ratio = rate(figures) / imported;
    ratios.push(ratio);
    commits.push(figures.longestCommitMs);
    waits.push(figures.longestWaitMs);
    console.log(
      `${String(turn).padStart(4)} ${whole(imported).padStart(10)} ${whole(rate(figures)).padStart(10)} ${share(ratio).padStart(9)} ${String(figures.commits).padStart(9)} ${whole(figures.longestCommitMs).padStart(13)} ${whole(figures.longestWaitMs).padStart(18)} ${whole(figures.maxRss / 2 ** 20).padStart(6)}`,
    );
  }
  const ratio = median(ratios);
  console.log(
    `\nsync at ${share(ratio)} of the import (target: ${share(WANTED)}); longest commit ${whole(median(commits))} ms, longest wait for the thread ${whole(median(waits))} ms`,
  );
  if (ratio < WANTED) process.exitCode = 1;
}

await inHome((home) => whileServed(home, compareWithImport));
