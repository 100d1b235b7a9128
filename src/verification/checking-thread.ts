/** A thread that checks batches of blocks. It is sent their memory, and answers with the number of one that is done. */
import { parentPort, workerData } from "node:worker_threads";
import type { WorkerSettings } from "./batch-checker.ts";
import { checkBlock, checkCommon } from "./check-common.ts";
import { SharedBatch, type Work } from "./shared-batch.ts";

const { network } = workerData as WorkerSettings;

/** Reading transactions of every kind takes a quarter of a second to load, and many a chain does without. */
type CheckTransaction = typeof import("./check-proofs.ts").checkTransaction;
let checkTransaction: CheckTransaction | undefined;

async function check(batch: SharedBatch, work: Work): Promise<void> {
  if (work.kind === "block") {
    checkBlock(batch, work.block);
    return;
  }
  for (let i = work.from; i < work.to; i++) {
    if (checkCommon(batch, i)) continue;
    checkTransaction ??= (await import("./check-proofs.ts")).checkTransaction;
    checkTransaction(batch, i, network);
  }
}

parentPort?.on("message", async (memory: SharedArrayBuffer) => {
  const batch = SharedBatch.of(memory);
  for (let work = batch.claim(); work !== undefined; work = batch.claim()) {
    await check(batch, work);
    if (batch.finish()) parentPort?.postMessage(batch.serial);
  }
});
