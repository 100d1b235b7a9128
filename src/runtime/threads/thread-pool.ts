import type { Worker, WorkerOptions } from "node:worker_threads";
import { startThread, type ThreadReports } from "./thread-metrics.ts";

interface ThreadFailure {
  /** Undefined after an exit without an error. */
  readonly cause: NodeJS.ErrnoException | undefined;
  /** Exit code; undefined after an error. */
  readonly code: number | undefined;
  /** False if no thread has answered since the last failure or `close`. */
  readonly hasAnswered: boolean;
}

interface ThreadPoolOptions<Answer> {
  readonly script: URL;
  readonly worker: WorkerOptions;
  readonly count: number;
  /** Names of several threads get numbers, from 1. */
  readonly metrics?: ThreadReports | undefined;
  readonly onMessage: (answer: Answer) => void;
  /** Called after a failure, while all threads end. */
  readonly onFailure: (failure: ThreadFailure) => void;
}

/** Starts worker threads on demand. If a thread fails, the pool terminates all of them. */
export class ThreadPool<Message, Answer> {
  readonly #options: ThreadPoolOptions<Answer>;
  #threads: Worker[] = [];
  #hasAnswered = false;

  constructor(options: ThreadPoolOptions<Answer>) {
    this.#options = options;
  }

  get count(): number {
    return this.#options.count;
  }

  ensureThreads(minimum: number): readonly Worker[] {
    while (this.#threads.length < Math.min(minimum, this.count)) this.#threads.push(this.#start());
    return this.#threads;
  }

  /** @param exitMessage asks a thread to exit; default: terminates threads */
  async close(exitMessage?: Message): Promise<void> {
    const ended = this.#takeThreads().map((thread) => {
      if (exitMessage === undefined) return thread.terminate();
      const exit = new Promise((resolve) => thread.once("exit", resolve));
      thread.postMessage(exitMessage);
      return exit;
    });
    await Promise.all(ended);
  }

  #start(): Worker {
    const { script, worker, metrics, count, onMessage } = this.#options;
    const number = count === 1 ? "" : `-${this.#threads.length + 1}`;
    const thread = startThread(script, worker, metrics && { ...metrics, name: `${metrics.name}${number}` });
    thread.on("message", (answer: Answer) => {
      this.#hasAnswered = true;
      onMessage(answer);
    });
    thread.on("error", (cause) => this.#fail(thread, cause));
    thread.on("exit", (code) => this.#fail(thread, undefined, code));
    return thread;
  }

  #fail(thread: Worker, cause: Error | undefined, code?: number): void {
    // Another failure or `close` has terminated the thread.
    if (!this.#threads.includes(thread)) return;
    const hasAnswered = this.#hasAnswered;
    for (const other of this.#takeThreads()) void other.terminate();
    this.#options.onFailure({ cause, code, hasAnswered });
  }

  #takeThreads(): readonly Worker[] {
    const threads = this.#threads;
    this.#threads = [];
    this.#hasAnswered = false;
    return threads;
  }
}
