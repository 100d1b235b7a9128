/**
 * A thread that checks batches. It is sent their memory, and answers with the number of one that is done. Batches belong
 * to lanes; it takes one piece of each lane by turns, so that a long import does not keep a single transaction waiting.
 * Between two pieces it runs a script that it was sent, and answers with what that said.
 */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { CHECKING_NICENESS, lowerPriority } from "../runtime/thread-priority.ts";
import type { NumberedJob, NumberedReport, WorkerSettings } from "./batch-checker.ts";
import { checkBlock, checkCommon } from "./check-common.ts";
import { RoundRobinLanes } from "./round-robin-lanes.ts";
import { VerificationBatch, type Work } from "./verification-batch.ts";

// What `batch-checker.ts` starts this file with.
const { network, servesClients } = workerData as WorkerSettings;
if (servesClients) lowerPriority(CHECKING_NICENESS);

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

/** Scripts take even more to load. */
type RunOrder = typeof import("./run-script.ts").runScriptJob;
let runOrder: RunOrder | undefined;

async function run({ serial, job }: NumberedJob): Promise<NumberedReport> {
  runOrder ??= (await import("./run-script.ts")).runScriptJob;
  return { serial, report: runOrder(job, network) };
}

const lanes = new RoundRobinLanes();
/** Scripts to be run, in order: they and the batches take turns. */
const scripts: NumberedJob[] = [];
let working = false;

/** Works until nothing is left, and looks for new batches between the pieces. */
async function work(port: MessagePort): Promise<void> {
  if (working) return;
  working = true;
  for (;;) {
    // Only the checker writes to the port.
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      enter(next.message as Message);
    const script = scripts.shift();
    if (script !== undefined) port.postMessage(await run(script));
    const piece = lanes.claim();
    if (piece !== undefined) {
      await check(piece.batch, piece.work);
      if (piece.batch.finishPiece()) port.postMessage(piece.batch.serial);
    }
    if (script === undefined && piece === undefined) break;
  }
  working = false;
}

type Message = SharedArrayBuffer | NumberedJob;

function enter(message: Message): void {
  if (message instanceof SharedArrayBuffer) lanes.add(new VerificationBatch(message));
  else scripts.push(message);
}

const port = parentPort;
port?.on("message", (message: Message) => {
  enter(message);
  return work(port);
});
