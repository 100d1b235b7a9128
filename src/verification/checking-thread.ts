/**
 * A thread that checks batches. It is sent their memory, and answers with the number of one that is done. Batches belong
 * to lanes; it takes one piece of each lane by turns, so that a long import does not keep a single transaction waiting.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import type { WorkerSettings } from "./batch-checker.ts";
import { checkBlock, checkCommon } from "./check-common.ts";
import { Lanes } from "./lanes.ts";
import { VerificationBatch, type Work } from "./verification-batch.ts";

// What `batch-checker.ts` starts this file with.
const { network } = workerData as WorkerSettings;

/** Reading transactions of every kind takes a quarter of a second to load, and many a chain does without. */
type CheckTransaction = typeof import("./check-proofs.ts").checkTransaction;
let checkTransaction: CheckTransaction | undefined;

async function check(batch: VerificationBatch, work: Work): Promise<void> {
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

const lanes = new Lanes();
let working = false;

/** Works until nothing is left, and looks for new batches between the pieces. */
async function work(port: MessagePort): Promise<void> {
  if (working) return;
  working = true;
  for (;;) {
    // Only the checker writes to the port.
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      lanes.enter(VerificationBatch.of(next.message as SharedArrayBuffer));
    const piece = lanes.claim();
    if (piece === undefined) break;
    await check(piece.batch, piece.work);
    if (piece.batch.finish()) port.postMessage(piece.batch.serial);
  }
  working = false;
}

const port = parentPort;
port?.on("message", (memory: SharedArrayBuffer) => {
  lanes.enter(VerificationBatch.of(memory));
  return work(port);
});
