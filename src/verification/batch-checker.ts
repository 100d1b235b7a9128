/** Who checks batches: threads. */
import type { Worker } from "node:worker_threads";
import type { Log } from "../interfaces.ts";
import type { ScriptReport } from "../ledger/scripts/script-verdicts.ts";
import { machineFaultOf } from "../runtime/machine-fault.ts";
import { ThreadPool } from "../runtime/thread-pool.ts";
import type { NetworkRules } from "../transactions/index.ts";
import { checkWork } from "./check-proofs.ts";
import type { ScriptJob } from "./run-script.ts";
import type { ScriptRunner } from "./script-queue.ts";
import type { VerificationBatch } from "./verification-batch.ts";

/** Checks batches of blocks and transactions. */
export interface BatchChecker {
  /** Who runs scripts for it. */
  readonly scriptRunner: ScriptRunner;
  /**
   * Closes a batch that was filled, and resolves when all of it is checked.
   * @param lane number of its stream: pieces of all streams are taken by turns
   * @throws CheckerError (as a rejection); the memory of the batch may not be used again then
   */
  check(batch: VerificationBatch, lane: number): Promise<void>;
  /**
   * Does what nobody has begun of a batch that is being checked: instead of waiting for it.
   * @param isEnough asked between its pieces of some milliseconds: it goes on until this says so
   * @returns whether nothing is left that nobody has begun
   */
  assist(batch: VerificationBatch, isEnough?: () => boolean): boolean;
  /** Calls `task` soon: when what came together has all been seen. */
  schedule(task: () => void): void;
  close(): Promise<void>;
}

/** What a checking thread is started with. */
export interface WorkerSettings {
  readonly network: NetworkRules;
  readonly servesClients: boolean;
}

/** A checking thread has failed (a bug, or no memory), or checking has ended. */
export class CheckerError extends Error {
  override readonly name = "CheckerError";
}

/** The checker was closed because the node stops. */
export class CheckerEndedError extends CheckerError {
  readonly isExpected = true;
  constructor() {
    super("The signature checks have ended");
  }
}

interface Waiting {
  readonly pieces: number;
  readonly resolve: () => void;
  readonly reject: (error: Error) => void;
}

/** A script that a thread runs. */
interface Running {
  readonly worker: Worker;
  readonly resolve: (report: ScriptReport) => void;
  readonly reject: (error: Error) => void;
}

/** A script to be run, as it is sent to a thread, and what comes back. */
export interface NumberedJob {
  readonly serial: number;
  readonly job: ScriptJob;
}
export interface NumberedReport {
  readonly serial: number;
  readonly report: ScriptReport;
}

/** Scripts that a thread has at hand: it begins the next one while the report of the last is on its way. */
const MAX_SCRIPTS_PER_THREAD = 2;

export interface ThreadOptions {
  /** The compiled entry of a thread; tests, which run from sources, name that of the build. */
  readonly script?: URL | undefined;
  /** Told of threads that fail. */
  readonly log?: Log | undefined;
  /** Whether clients wait for other threads of this process: those go first then. */
  readonly servesClients?: boolean | undefined;
}

/**
 * Threads that check. When one fails, what is being checked is rejected, and the next batch is given to new threads.
 * Threads that fail before any has finished a batch are not started again: every batch is rejected then.
 */
export class ThreadChecker implements BatchChecker {
  readonly #network: NetworkRules;
  readonly #pool: ThreadPool<SharedArrayBuffer | NumberedJob, number | NumberedReport>;
  readonly #waiting = new Map<number, Waiting>();
  readonly #running = new Map<number, Running>();
  #serial = 0;
  #broken: CheckerError | undefined;

  /** @param count threads at most */
  constructor(network: NetworkRules, count: number, options: ThreadOptions = {}) {
    this.#network = { chainId: network.chainId, payment: network.payment };
    const { script = new URL("./checking-thread.js", import.meta.url), log, servesClients = false } = options;
    const workerData: WorkerSettings = { network: this.#network, servesClients };
    this.#pool = new ThreadPool({
      script,
      worker: { workerData },
      count,
      onMessage: (message) => {
        if (typeof message === "number") this.#done(message);
        else {
          this.#running.get(message.serial)?.resolve(message.report);
          this.#running.delete(message.serial);
        }
      },
      onFailure: ({ cause, code, hasAnswered }) => {
        const text = cause === undefined ? `ended with code ${code}` : `failed: ${cause.message}`;
        const error = new CheckerError(`A checking thread ${text}`);
        if (hasAnswered)
          log?.error("A thread that checks signatures failed: new ones take its place", { error });
        else log?.error("The threads that check signatures cannot run", { error });
        // After a fault of the machine, such as no free handle, new threads may work.
        if (!hasAnswered && machineFaultOf(cause) === undefined) this.#broken = error;
        this.#reject(error);
      },
    });
  }

  check(batch: VerificationBatch, lane: number): Promise<void> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    const serial = ++this.#serial;
    batch.publish(serial, lane);
    return new Promise<void>((resolve, reject) => {
      this.#waiting.set(serial, { pieces: batch.pieces, resolve, reject });
      let pieces = 0;
      for (const waiting of this.#waiting.values()) pieces += waiting.pieces;
      for (const worker of this.#pool.atLeast(pieces)) worker.postMessage(batch.memory);
    });
  }

  get scriptRunner(): ScriptRunner {
    const checker = this;
    return {
      get free() {
        return MAX_SCRIPTS_PER_THREAD * checker.#pool.count - checker.#running.size;
      },
      run: (order) => checker.#run(order),
    };
  }

  #run(job: ScriptJob): Promise<ScriptReport> {
    if (this.#broken !== undefined) return Promise.reject(this.#broken);
    const serial = ++this.#serial;
    return new Promise((resolve, reject) => {
      const workers = this.#pool.atLeast(this.#running.size + 1);
      const runs = workers.map(() => 0);
      for (const { worker } of this.#running.values()) runs[workers.indexOf(worker)]++;
      const worker = workers[runs.indexOf(Math.min(...runs))];
      this.#running.set(serial, { worker, resolve, reject });
      const message: NumberedJob = { serial, job };
      worker.postMessage(message);
    });
  }

  assist(batch: VerificationBatch, isEnough: () => boolean = () => false): boolean {
    for (let work = batch.claim(); work !== undefined; work = batch.claim()) {
      checkWork(batch, work, this.#network);
      if (batch.finishPiece()) this.#done(batch.serial);
      if (isEnough()) return false;
    }
    return true;
  }

  // When the event loop has delivered what had come.
  schedule(task: () => void): void {
    setImmediate(task);
  }

  async close(): Promise<void> {
    this.#broken = new CheckerEndedError();
    this.#reject(this.#broken);
    await this.#pool.close();
  }

  #done(serial: number): void {
    this.#waiting.get(serial)?.resolve();
    this.#waiting.delete(serial);
  }

  /** Rejects what is being checked. */
  #reject(error: CheckerError): void {
    const waiting = [...this.#waiting.values(), ...this.#running.values()];
    this.#waiting.clear();
    this.#running.clear();
    for (const { reject } of waiting) reject(error);
  }
}
