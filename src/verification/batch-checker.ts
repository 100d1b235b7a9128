import type { Worker } from "node:worker_threads";
import type { Log } from "../interfaces.ts";
import type { ScriptReport } from "../ledger/scripts/script-verdicts.ts";
import { machineFaultOf } from "../runtime/machine-fault.ts";
import { type MetricsCollector, noCollector } from "../runtime/threads/thread-metrics.ts";
import { ThreadPool } from "../runtime/threads/thread-pool.ts";
import type { NetworkRules } from "../transactions/index.ts";
import { checkPiece } from "./check-proofs.ts";
import type { ScriptJob } from "./run-script.ts";
import type { ScriptRunner } from "./script-queue.ts";
import type { VerificationBatch } from "./verification-batch.ts";

/** A batch consists of pieces, see `Piece`. */
export interface BatchChecker {
  readonly scriptRunner: ScriptRunner;
  /**
   * Resolves when a filled batch is checked.
   * @param lane see `VerificationBatch.lane`
   * @throws CheckerError (as a rejection). A thread may then still write to the batch: do not reuse its memory
   */
  check(batch: VerificationBatch, lane: number): Promise<void>;
  /**
   * Checks pieces in the caller's thread.
   * @param shouldStop called after each piece; true ends the call
   * @returns true if no unclaimed piece is left
   */
  assist(batch: VerificationBatch, shouldStop?: () => boolean): boolean;
  /** Calls `task` after the events that are already queued. */
  schedule(task: () => void): void;
  close(): Promise<void>;
}

export interface WorkerSettings {
  readonly network: NetworkRules;
  readonly servesClients: boolean;
}

/** A checker thread failed, or the checker was closed. */
export class CheckerError extends Error {
  override readonly name = "CheckerError";
}

export class CheckerEndedError extends CheckerError {
  readonly isExpected = true;
  constructor() {
    super("Signature checks have ended: the node is stopping");
  }
}

interface PendingBatch {
  readonly pieces: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

interface RunningScript {
  readonly worker: Worker;
  readonly resolve: (report: ScriptReport) => void;
  readonly reject: (error: Error) => void;
}

export interface NumberedJob {
  readonly serial: number;
  readonly job: ScriptJob;
}
export interface NumberedReport {
  readonly serial: number;
  readonly report: ScriptReport;
}

/** One script runs, and one waits, so that the thread is never idle. */
const MAX_SCRIPTS_PER_THREAD = 2;

export interface ThreadOptions {
  /** Module that the threads run. Only tests set this. */
  readonly script?: URL | undefined;
  readonly log?: Log | undefined;
  /** True if other threads of this process serve clients: checker threads then get a lower priority. */
  readonly servesClients?: boolean | undefined;
  readonly collector?: MetricsCollector | undefined;
}

/**
 * If a thread fails, all pending checks reject. The next batch starts new threads, unless the failed thread had never
 * answered and no machine fault ended it.
 */
export class ThreadChecker implements BatchChecker {
  readonly #network: NetworkRules;
  readonly #pool: ThreadPool<SharedArrayBuffer | NumberedJob, number | NumberedReport>;
  readonly #pendingBatches = new Map<number, PendingBatch>();
  readonly #runningScripts = new Map<number, RunningScript>();
  #serial = 0;
  #finalError: CheckerError | undefined;

  constructor(network: NetworkRules, maxThreads: number, options: ThreadOptions = {}) {
    this.#network = { chainId: network.chainId, payment: network.payment };
    const {
      script = new URL("./checker-thread.js", import.meta.url),
      log,
      servesClients = false,
      collector = noCollector,
    } = options;
    const workerData: WorkerSettings = { network: this.#network, servesClients };
    this.#pool = new ThreadPool({
      script,
      worker: { workerData },
      count: maxThreads,
      metrics: { collector, name: "checker" },
      onMessage: (message) => {
        if (typeof message === "number") this.#batchDone(message);
        else {
          this.#runningScripts.get(message.serial)?.resolve(message.report);
          this.#runningScripts.delete(message.serial);
        }
      },
      onFailure: ({ cause, code, hasAnswered }) => {
        const text = cause === undefined ? `ended with code ${code}` : `failed: ${cause.message}`;
        const error = new CheckerError(`Verification thread ${text}`);
        if (hasAnswered) log?.error("A verification thread failed: starting new ones", { error });
        else log?.error("Verification threads cannot run", { error });
        // After a machine fault, such as no free handle, new threads may work.
        if (!hasAnswered && machineFaultOf(cause) === undefined) this.#finalError = error;
        this.#rejectAll(error);
      },
    });
  }

  check(batch: VerificationBatch, lane: number): Promise<void> {
    if (this.#finalError !== undefined) return Promise.reject(this.#finalError);
    const serial = ++this.#serial;
    batch.publish(serial, lane);
    return new Promise<void>((resolve, reject) => {
      this.#pendingBatches.set(serial, { pieces: batch.pieces, resolve, reject });
      let pieces = 0;
      for (const waiting of this.#pendingBatches.values()) pieces += waiting.pieces;
      for (const worker of this.#pool.ensureThreads(pieces)) worker.postMessage(batch.memory);
    });
  }

  get scriptRunner(): ScriptRunner {
    const checker = this;
    return {
      get freeSlots() {
        return MAX_SCRIPTS_PER_THREAD * checker.#pool.count - checker.#runningScripts.size;
      },
      run: (job) => checker.#runScript(job),
    };
  }

  #runScript(job: ScriptJob): Promise<ScriptReport> {
    if (this.#finalError !== undefined) return Promise.reject(this.#finalError);
    const serial = ++this.#serial;
    return new Promise((resolve, reject) => {
      const workers = this.#pool.ensureThreads(this.#runningScripts.size + 1);
      const scriptCounts = workers.map(() => 0);
      for (const { worker } of this.#runningScripts.values()) scriptCounts[workers.indexOf(worker)]++;
      const worker = workers[scriptCounts.indexOf(Math.min(...scriptCounts))];
      this.#runningScripts.set(serial, { worker, resolve, reject });
      const message: NumberedJob = { serial, job };
      worker.postMessage(message);
    });
  }

  assist(batch: VerificationBatch, shouldStop: () => boolean = () => false): boolean {
    for (let piece = batch.claim(); piece !== undefined; piece = batch.claim()) {
      checkPiece(batch, piece, this.#network);
      if (batch.finishPiece()) this.#batchDone(batch.serial);
      if (shouldStop()) return false;
    }
    return true;
  }

  schedule(task: () => void): void {
    setImmediate(task);
  }

  async close(): Promise<void> {
    this.#finalError = new CheckerEndedError();
    this.#rejectAll(this.#finalError);
    await this.#pool.close();
  }

  #batchDone(serial: number): void {
    this.#pendingBatches.get(serial)?.resolve();
    this.#pendingBatches.delete(serial);
  }

  #rejectAll(error: CheckerError): void {
    const waiting = [...this.#pendingBatches.values(), ...this.#runningScripts.values()];
    this.#pendingBatches.clear();
    this.#runningScripts.clear();
    for (const { reject } of waiting) reject(error);
  }
}
