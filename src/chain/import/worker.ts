/** A thread that checks batches of blocks. It is sent their memory, and answers with the number of one that is done. */
import { parentPort, workerData } from "node:worker_threads";
import { checkWork } from "./check.ts";
import type { WorkerSettings } from "./checker.ts";
import { SharedBatch } from "./shared-batch.ts";

const { network } = workerData as WorkerSettings;

parentPort?.on("message", (memory: SharedArrayBuffer) => {
  const batch = SharedBatch.of(memory);
  for (let work = batch.claim(); work !== undefined; work = batch.claim()) {
    checkWork(batch, work, network);
    if (batch.finish()) parentPort?.postMessage(batch.serial);
  }
});
