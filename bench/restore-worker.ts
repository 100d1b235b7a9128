/**
 * Restores a snapshot into a new folder in its own process and prints the measurements. Arguments: folder of the
 * snapshot, new folder.
 */
import { join } from "node:path";
import { systemClock } from "../src/runtime/system.ts";
import { restoreSnapshot } from "../src/storage/copies/restore-snapshot.ts";
import { snapshotSource } from "../src/storage/copies/snapshot-source.ts";
import { openStore } from "../src/storage/store.ts";

/** Measurements of one restore, from the call to the open store. */
export interface RestoreFigures {
  readonly ms: number;
  /** From the start of the process. */
  readonly processMs: number;
  /** Processor time of all threads. */
  readonly processorMs: number;
  /** Peak resident memory, bytes. */
  readonly maxRss: number;
  /** Sizes of the data file and of the compressed chunks. */
  readonly bytes: number;
  readonly compressedBytes: number;
}

const [snapshot, home] = process.argv.slice(2) as [string, string];
/** As in `bench/import-worker.ts`. */
const network = "bench";
const directory = join(home, "chain");
const begun = performance.now();
const usedBefore = process.cpuUsage();
const { bytes, chunks } = await restoreSnapshot({
  source: snapshotSource(snapshot, systemClock),
  directory,
  network,
  trust: { keys: [], isSourceTrusted: true },
  reserveBytes: 0,
});
await (await openStore(directory, { network })).close();
const { user, system } = process.cpuUsage(usedBefore);
const figures: RestoreFigures = {
  ms: performance.now() - begun,
  processMs: performance.now(),
  processorMs: (user + system) / 1_000,
  maxRss: process.resourceUsage().maxRSS * 1_024,
  bytes,
  compressedBytes: chunks.reduce((sum, chunk) => sum + chunk.bytes, 0),
};
process.stdout.write(JSON.stringify(figures));
