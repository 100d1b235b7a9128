import { parentPort, workerData } from "node:worker_threads";
import { answerRead, ReadDeadline } from "../../api/reading/answer-reads.ts";
import type { ReadJob } from "../../api/reading/read-jobs.ts";
import { StoredSnapshot } from "../../chain/snapshot.ts";
import type { ChainReader } from "../../interfaces.ts";
import { systemClock } from "../../runtime/system.ts";
import { reportingCollector } from "../../runtime/threads/thread-metrics.ts";
import { lowerPriority, READER_NICENESS } from "../../runtime/threads/thread-priority.ts";
import { InterruptibleReader } from "../../storage/readers/interruptible-reader.ts";
import { openReadOnly, type ReadOnlySource } from "./read-only-source.ts";

export interface ReaderThreadData extends ReadOnlySource {
  /** Shared memory: not 0 if the caller no longer waits. */
  readonly cancelled: Int32Array;
}

if (parentPort === null) throw new Error("This file is the entry of a thread");
const parent = parentPort;
const { cancelled, ...source } = workerData as ReaderThreadData;
reportingCollector(workerData, systemClock);
lowerPriority(READER_NICENESS);

const { store, context, close } = await openReadOnly(source);
const deadline = new ReadDeadline(systemClock, () => Atomics.load(cancelled, 0) !== 0);
const reader: ChainReader = {
  read: (reading) =>
    store.read((snapshot) =>
      reading(new StoredSnapshot(new InterruptibleReader(snapshot, deadline.check), context)),
    ),
  renew: () => {},
};

parent.on("message", async (order: ReadJob | "end") => {
  if (order === "end") {
    await close();
    parent.close();
    return;
  }
  deadline.start();
  const answer = answerRead(order, { reader, info: source.info });
  const chunks = answer.kind === "reply" ? answer.chunks : [];
  parent.postMessage(
    answer,
    chunks.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
