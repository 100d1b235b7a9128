import { parentPort, workerData } from "node:worker_threads";
import { reasonOf } from "../../bytes/errors.ts";
import { BaseError } from "../../errors/base-error.ts";
import type { Log } from "../../interfaces.ts";
import { systemClock } from "../../runtime/system.ts";
import { reportingCollector } from "../../runtime/threads/thread-metrics.ts";
import { lowerPriority, READER_NICENESS } from "../../runtime/threads/thread-priority.ts";
import type { MirrorThreadMessage } from "./mirror-runner.ts";
import type { MirrorOrder } from "./mirrored-node.ts";
import { startMirror } from "./start-mirror.ts";

if (parentPort === null) throw new Error("This file is the entry of a thread");
const parent = parentPort;
const post = (message: MirrorThreadMessage): void => parent.postMessage(message);
lowerPriority(READER_NICENESS);

const logAt =
  (level: "debug" | "info" | "warn" | "error") =>
  (message: string, fields?: Record<string, unknown>): void =>
    post({ kind: "log", level, message, fields });
const log: Log = { debug: logAt("debug"), info: logAt("info"), warn: logAt("warn"), error: logAt("error") };

const { order } = workerData as { readonly order: MirrorOrder };
const { metrics } = reportingCollector(workerData, systemClock);
const mirror = startMirror(order, { clock: systemClock, log, metrics });
parent.once("message", () => void mirror.stop());
try {
  await mirror.finished;
} catch (error) {
  // Other errors are program faults: report their stack.
  post({
    kind: "failed",
    reason: error instanceof BaseError ? reasonOf(error) : String((error as Error).stack),
  });
}
parent.close();
