/** Writes one backup. */
import { parentPort, workerData } from "node:worker_threads";
import { BaseError } from "../../errors/base-error.ts";
import { lowerPriority, READER_NICENESS } from "../../runtime/threads/thread-priority.ts";
import { writeBackup } from "../../storage/copies/backup.ts";
import type { BackupThreadAnswer, BackupThreadData } from "./backup-runner.ts";

const { request, stop } = workerData as BackupThreadData;
lowerPriority(READER_NICENESS);
const flag = new Int32Array(stop);

async function run(): Promise<BackupThreadAnswer> {
  try {
    const description = await writeBackup(request, { isStopped: () => Atomics.load(flag, 0) !== 0 });
    return { ok: true, description };
  } catch (error) {
    // Other errors are faults, whose stack the log shows.
    if (error instanceof BaseError) return { ok: false, reason: error.message };
    throw error;
  }
}

parentPort?.postMessage(await run());
