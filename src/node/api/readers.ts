import { availableParallelism } from "node:os";
import { type ReadAnswer, type ReadJob, replyOf, toReadJob } from "../../api/reading/read-jobs.ts";
import type { QueuedRead, ReaderThread } from "../../api/reading/reader-queue.ts";
import { apiError } from "../../http/errors.ts";
import type { Reply } from "../../http/responses/reply.ts";
import type { Log } from "../../interfaces.ts";
import { heapLimits } from "../../runtime/threads/thread-heap.ts";
import type { ThreadReports } from "../../runtime/threads/thread-metrics.ts";
import { ThreadPool } from "../../runtime/threads/thread-pool.ts";
import type { ReadOnlySource } from "./read-only-source.ts";
import type { ReaderThreadData } from "./reader-thread.ts";

/** Leaves a core each to the writer and the HTTP thread, if possible. */
export const READER_THREAD_COUNT: number = Math.max(1, Math.min(2, availableParallelism() - 2));

/** Reads that need more fail with `tooBigArray`. */
const MAX_HEAP_MB = 512;

interface Reader extends ReaderThread {
  close(): Promise<void>;
}

/** Creates a thread that answers one read at a time. @param script compiled entry */
export function createReaderThread(
  source: ReadOnlySource,
  log: Log,
  metrics: ThreadReports,
  script: URL = new URL("./reader-thread.js", import.meta.url),
): Reader {
  const cancelled = new Int32Array(new SharedArrayBuffer(4));
  let pending:
    | (Pick<QueuedRead, "onTip"> & {
        readonly resolve: (reply: Reply) => void;
        readonly reject: (error: unknown) => void;
      })
    | undefined;
  const workerData: ReaderThreadData = { ...source, cancelled };
  const pool = new ThreadPool<ReadJob | "end", ReadAnswer>({
    script,
    worker: { workerData, resourceLimits: heapLimits(MAX_HEAP_MB) },
    count: 1,
    metrics,
    onMessage: (answer) => {
      if (answer.tip !== undefined) pending?.onTip?.(answer.tip);
      try {
        pending?.resolve(replyOf(answer));
      } catch (error) {
        pending?.reject(error);
      }
    },
    onFailure: ({ cause }) => {
      if (cause === undefined) {
        pending?.reject(apiError("closing"));
        return;
      }
      log.warn("A reader thread failed; the next read starts another one", { error: cause });
      pending?.reject(cause.code === "ERR_WORKER_OUT_OF_MEMORY" ? apiError("tooBigArray") : cause);
    },
  });
  return {
    read(read: QueuedRead) {
      Atomics.store(cancelled, 0, 0);
      const [worker] = pool.ensureThreads(1);
      return new Promise<Reply>((resolve, reject) => {
        pending = { resolve, reject, onTip: read.onTip };
        worker.postMessage(toReadJob(read));
      }).finally(() => {
        pending = undefined;
      });
    },
    cancel() {
      Atomics.store(cancelled, 0, 1);
    },
    async close() {
      Atomics.store(cancelled, 0, 1);
      await pool.close("end");
      pending?.reject(apiError("closing"));
    },
  };
}
