/** The reading threads of the HTTP thread: each is started when it is first needed, and anew when it has died. */
import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import type { QueuedRead, ReadingThread } from "../../api/reading/reader-queue.ts";
import { orderOf, type ReadAnswer, replyOf } from "../../api/reading/reading-thread.ts";
import { refuse } from "../../http/errors.ts";
import type { Reply } from "../../http/responses/reply.ts";
import type { Log } from "../../interfaces.ts";
import { heapOf } from "../../runtime/thread-heap.ts";
import type { ReaderData } from "./reader-thread.ts";

/** How many read at a time: the writer and the HTTP thread have a core each, where there are so many. */
export const READING_THREADS: number = Math.max(1, Math.min(2, availableParallelism() - 2));

/** What the objects of a reading thread may take, MB: an answer that is made of more is not made. */
const HEAP_MB = 512;

/** A reading thread that can be ended. */
interface Reader extends ReadingThread {
  close(): Promise<void>;
}

interface Running {
  readonly worker: Worker;
  readonly ended: Promise<void>;
}

/**
 * Reads in a thread of its own.
 * @param script what it runs, as it is built
 */
export function readingThread(
  data: Omit<ReaderData, "cancelled">,
  log: Log,
  script: URL = new URL("./reader-thread.js", import.meta.url),
): Reader {
  const cancelled = new Int32Array(new SharedArrayBuffer(4));
  let running: Running | undefined;
  let settle:
    | { readonly resolve: (reply: Reply) => void; readonly reject: (error: unknown) => void }
    | undefined;

  const start = (): Running => {
    const workerData: ReaderData = { ...data, cancelled };
    const worker = new Worker(script, {
      workerData,
      resourceLimits: heapOf(HEAP_MB),
    });
    worker.on("message", (answer: ReadAnswer) => {
      try {
        settle?.resolve(replyOf(answer));
      } catch (error) {
        // What the handler threw over there.
        settle?.reject(error);
      }
    });
    worker.on("error", (error: NodeJS.ErrnoException) => {
      log.warn("A reading thread failed; the next read starts another one", { error });
      settle?.reject(error.code === "ERR_WORKER_OUT_OF_MEMORY" ? refuse("tooBigArray") : error);
    });
    const ended = new Promise<void>((resolve) => {
      worker.on("exit", () => {
        if (running?.worker === worker) running = undefined;
        settle?.reject(refuse("closing"));
        resolve();
      });
    });
    return { worker, ended };
  };

  return {
    read(read: QueuedRead) {
      Atomics.store(cancelled, 0, 0);
      running ??= start();
      const { worker } = running;
      return new Promise<Reply>((resolve, reject) => {
        settle = { resolve, reject };
        worker.postMessage(orderOf(read));
      }).finally(() => {
        settle = undefined;
      });
    },
    cancel() {
      Atomics.store(cancelled, 0, 1);
    },
    async close() {
      if (running === undefined) return;
      const { worker, ended } = running;
      Atomics.store(cancelled, 0, 1);
      worker.postMessage("end");
      await ended;
    },
  };
}
