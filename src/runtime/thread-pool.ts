import { Worker, type WorkerOptions } from "node:worker_threads";

interface ThreadFailure {
  /** Undefined if the thread ended without an error. */
  readonly cause: NodeJS.ErrnoException | undefined;
  readonly code: number | undefined;
  /** True if any thread has sent a message. */
  readonly hasAnswered: boolean;
}

interface ThreadPoolOptions<Answer> {
  /** Compiled entry of a thread. */
  readonly script: URL;
  readonly worker: WorkerOptions;
  readonly count: number;
  readonly onMessage: (answer: Answer) => void;
  /** Called after a thread failed and all were terminated. */
  readonly onFailure: (failure: ThreadFailure) => void;
}

/**
 * A pool of worker threads, started on demand. If one fails, all are terminated, because its unfinished work is
 * unknown; later work starts new ones.
 */
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

  /** Starts threads up to the wanted number or the maximum. @returns all, oldest first */
  atLeast(wanted: number): readonly Worker[] {
    while (this.#threads.length < Math.min(wanted, this.count)) this.#threads.push(this.#start());
    return this.#threads;
  }

  /**
   * Ends all threads. Later work starts new ones.
   * @param last message that makes a thread exit; by default threads are terminated
   */
  async close(last?: Message): Promise<void> {
    const ended = this.#release().map((thread) => {
      if (last === undefined) return thread.terminate();
      const exit = new Promise((resolve) => thread.once("exit", resolve));
      thread.postMessage(last);
      return exit;
    });
    await Promise.all(ended);
  }

  #start(): Worker {
    const { script, worker, onMessage } = this.#options;
    const thread = new Worker(script, worker);
    thread.on("message", (answer: Answer) => {
      this.#hasAnswered = true;
      onMessage(answer);
    });
    thread.on("error", (cause) => this.#fail(thread, cause));
    thread.on("exit", (code) => this.#fail(thread, undefined, code));
    return thread;
  }

  #fail(thread: Worker, cause: Error | undefined, code?: number): void {
    // Already terminated.
    if (!this.#threads.includes(thread)) return;
    const hasAnswered = this.#hasAnswered;
    for (const other of this.#release()) void other.terminate();
    this.#options.onFailure({ cause, code, hasAnswered });
  }

  #release(): readonly Worker[] {
    const threads = this.#threads;
    this.#threads = [];
    this.#hasAnswered = false;
    return threads;
  }
}
