/** Starts HTTP threads. The command imports this file before it loads anything else, so it imports almost nothing. */
import { Worker } from "node:worker_threads";
import { heapLimits } from "../../runtime/threads/thread-heap.ts";

/** A low limit makes the garbage collector run early. */
const MAX_HEAP_MB = 768;

/** A thread that loads `api-thread.ts`, or waits for its order. */
export interface HttpThread {
  readonly worker: Worker;
  /** Resolves when the thread has ended. */
  readonly ended: Promise<void>;
  /** Rejects with the error that ended the thread. */
  readonly broken: Promise<never>;
}

export function startHttpThread(): HttpThread {
  const worker = new Worker(new URL("./api-thread.js", import.meta.url), {
    resourceLimits: heapLimits(MAX_HEAP_MB),
  });
  const ended = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
  const broken = new Promise<never>((_, reject) => worker.once("error", reject));
  // Avoid an unhandled rejection if the thread fails before it is used.
  broken.catch(() => {});
  return { worker, ended, broken };
}

/** A thread that was started before the settings were known. */
export interface EarlyHttpThread {
  /** Returns the thread at the first call. */
  take(): HttpThread | undefined;
}

export function startEarlyHttpThread(): EarlyHttpThread {
  let thread: HttpThread | undefined = startHttpThread();
  return {
    take() {
      const taken = thread;
      thread = undefined;
      return taken;
    },
  };
}
