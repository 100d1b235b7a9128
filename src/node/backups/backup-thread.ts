import { parentPort, workerData } from "node:worker_threads";
import { BaseError } from "../../errors/base-error.ts";
import { lowerPriority, READER_NICENESS } from "../../runtime/threads/thread-priority.ts";
import { writeBackup } from "../../storage/copies/backup.ts";
import type { BackupThreadAnswer, BackupThreadData } from "./backup-runner.ts";

const { request, stop } = workerData as BackupThreadData;
lowerPriority(READER_NICENESS);
const stopFlag = new Int32Array(stop);

async function run(): Promise<BackupThreadAnswer> {
  try {
    const description = await writeBackup(request, { isStopped: () => Atomics.load(stopFlag, 0) !== 0 });
    return { ok: true, description };
  } catch (error) {
    if (error instanceof BaseError) return { ok: false, reason: error.message };
    // Other errors are faults of the node.
    throw error;
  }
}

parentPort?.postMessage(await run());
