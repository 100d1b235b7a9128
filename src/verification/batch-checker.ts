/** Who checks batches: threads, or the caller's own thread. */
import { Worker } from "node:worker_threads";
import type { NetworkRules } from "../transactions/index.ts";
import { checkWork } from "./check-proofs.ts";
import type { SharedBatch } from "./shared-batch.ts";

/** Checks batches of blocks. */
export interface BatchChecker {
  /** Resolves when all of a batch, which must be published, is checked. */
  check(batch: SharedBatch): Promise<void>;
  /** Does what nobody has begun of a batch that is being checked: instead of waiting for it. */
  assist(batch: SharedBatch): void;
  close(): Promise<void>;
}

/** What a checking thread is started with. */
export interface WorkerSettings {
  readonly network: NetworkRules;
}

/** Does what nobody has begun of a batch. @returns whether the batch was finished by it */
function checkRest(batch: SharedBatch, network: NetworkRules): boolean {
  let finished = false;
  for (let work = batch.claim(); work !== undefined; work = batch.claim()) {
    checkWork(batch, work, network);
    finished = batch.finish();
  }
  return finished;
}

/** Checks in the caller's thread: the twin of the threads, for tests and simulations. */
export function inlineChecker(network: NetworkRules): BatchChecker {
  return {
    async check(batch) {
      checkRest(batch, network);
    },
    assist() {},
    async close() {},
  };
}

/** A checking thread has failed: a bug, or no memory. */
export class CheckerError extends Error {
  override readonly name = "CheckerError";
}

interface Waiting {
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/**
 * Starts threads that check.
 * @param count how many
 * @param script the compiled `worker.js`; tests, which run from sources, name that of the build
 */
export function threadChecker(
  network: NetworkRules,
  count: number,
  script: URL = new URL("./checking-thread.js", import.meta.url),
): BatchChecker {
  const waiting = new Map<number, Waiting>();
  let failure: Error | undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    for (const { reject } of waiting.values()) reject(failure);
    waiting.clear();
  };
  let closing = false;
  const settings: WorkerSettings = { network: { chainId: network.chainId, payment: network.payment } };
  const done = (serial: number): void => {
    waiting.get(serial)?.resolve();
    waiting.delete(serial);
  };
  const workers = Array.from({ length: count }, () => {
    const worker = new Worker(script, { workerData: settings });
    worker.on("message", done);
    worker.on("error", (error) => fail(new CheckerError(`A checking thread failed: ${error.message}`)));
    worker.on("exit", (code) => {
      if (!closing) fail(new CheckerError(`A checking thread ended with code ${code}`));
    });
    return worker;
  });
  return {
    check(batch) {
      if (failure !== undefined) return Promise.reject(failure);
      const checked = new Promise<void>((resolve, reject) => {
        waiting.set(batch.serial, { resolve, reject });
      });
      for (const worker of workers) worker.postMessage(batch.memory);
      return checked;
    },
    assist(batch) {
      if (checkRest(batch, network)) done(batch.serial);
    },
    async close() {
      closing = true;
      await Promise.all(workers.map((worker) => worker.terminate()));
    },
  };
}
