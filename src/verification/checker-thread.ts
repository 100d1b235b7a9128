/** Answers with the serial of each finished batch and the report of each script. */
import { type MessagePort, parentPort, receiveMessageOnPort, workerData } from "node:worker_threads";
import { systemClock } from "../runtime/system.ts";
import { reportingCollector } from "../runtime/threads/thread-metrics.ts";
import { CHECKER_NICENESS, lowerPriority } from "../runtime/threads/thread-priority.ts";
import type { NumberedJob, NumberedReport, WorkerSettings } from "./batch-checker.ts";
import { checkBlock, checkCommon } from "./check-common.ts";
import { RoundRobinLanes } from "./round-robin-lanes.ts";
import { type Piece, VerificationBatch } from "./verification-batch.ts";

const { network, servesClients } = workerData as WorkerSettings;
reportingCollector(workerData, systemClock);
if (servesClients) lowerPriority(CHECKER_NICENESS);

/** Loaded on demand: the transaction parsers take a quarter of a second. */
type CheckTransaction = typeof import("./check-proofs.ts").checkTransaction;
let checkTransaction: CheckTransaction | undefined;

async function check(batch: VerificationBatch, piece: Piece): Promise<void> {
  if (piece.kind === "block") {
    checkBlock(batch, piece.block);
    return;
  }
  for (let i = piece.from; i < piece.to; i++) {
    if (checkCommon(batch, i)) continue;
    checkTransaction ??= (await import("./check-proofs.ts")).checkTransaction;
    checkTransaction(batch, i, network);
  }
}

/** Loaded on demand: the script modules take even longer. */
type RunScriptJob = typeof import("./run-script.ts").runScriptJob;
let runScriptJob: RunScriptJob | undefined;

async function loadScripts(): Promise<RunScriptJob> {
  const { loadKeccak } = await import("../crypto/hashes.ts");
  await loadKeccak();
  return (await import("./run-script.ts")).runScriptJob;
}

async function run({ serial, job }: NumberedJob): Promise<NumberedReport> {
  runScriptJob ??= await loadScripts();
  return { serial, report: runScriptJob(job, network) };
}

const lanes = new RoundRobinLanes();
const scripts: NumberedJob[] = [];
let isRunning = false;

async function runAll(port: MessagePort): Promise<void> {
  if (isRunning) return;
  isRunning = true;
  for (;;) {
    // Only `ThreadChecker` writes to the port.
    for (let next = receiveMessageOnPort(port); next !== undefined; next = receiveMessageOnPort(port))
      enqueue(next.message as Message);
    const script = scripts.shift();
    if (script !== undefined) port.postMessage(await run(script));
    const claimed = lanes.claim();
    if (claimed !== undefined) {
      await check(claimed.batch, claimed.piece);
      if (claimed.batch.finishPiece()) port.postMessage(claimed.batch.serial);
    }
    if (script === undefined && claimed === undefined) break;
  }
  isRunning = false;
}

type Message = SharedArrayBuffer | NumberedJob;

function enqueue(message: Message): void {
  if (message instanceof SharedArrayBuffer) lanes.add(new VerificationBatch(message));
  else scripts.push(message);
}

const port = parentPort;
port?.on("message", (message: Message) => {
  enqueue(message);
  return runAll(port);
});
