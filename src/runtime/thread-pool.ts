import { Worker, type WorkerOptions } from "node:worker_threads";

/** Why a thread ended by itself. */
interface ThreadFailure {
  /** Undefined if it ended without an error. */
  readonly cause: NodeJS.ErrnoException | undefined;
  readonly code: number | undefined;
  /** True if the threads have sent anything. */
  readonly hasAnswered: boolean;
}

interface ThreadPoolOptions<Answer> {
  /** The compiled entry of a thread. */
  readonly script: URL;
  readonly worker: WorkerOptions;
  /** Threads at most. */
  readonly count: number;
  /** Called with each message of a thread. */
  readonly onMessage: (answer: Answer) => void;
  /** Called when a thread failed and all of them were given up. */
  readonly onFailure: (failure: ThreadFailure) => void;
}

/**
 * Threads of one kind, which start when there is work for them. When one fails, all are given up, since no caller knows
 * what it had taken; the next work starts new ones.
 */
export class ThreadPool<Message, Answer> {
  readonly #options: ThreadPoolOptions<Answer>;
  #threads: Worker[] = [];
  #hasAnswered = false;

  constructor(options: ThreadPoolOptions<Answer>) {
    this.#options = options;
  }

  /** Threads at most. */
  get count(): number {
    return this.#options.count;
  }

  /** Starts threads until there are as many as are wanted, or as may be. @returns all of them, in the order of their start */
  atLeast(wanted: number): readonly Worker[] {
    while (this.#threads.length < Math.min(wanted, this.count)) this.#threads.push(this.#start());
    return this.#threads;
  }

  /**
   * Ends all threads; the next work would start new ones.
   * @param last a message after which they end by themselves; without it they end at once
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
    // One that was given up already.
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
