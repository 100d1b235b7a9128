/**
 * Entry of a reading thread: opens the store for reading, and makes one answer after the other (`readers.ts` starts it,
 * from the HTTP thread).
 */
import { parentPort, workerData } from "node:worker_threads";
import { leavesOf } from "../../anchoring/leaves.ts";
import type { ApiInfo } from "../../api/info.ts";
import { answerRead, ReadDeadline } from "../../api/reading/answer-reads.ts";
import type { ReadJob } from "../../api/reading/reading-thread.ts";
import { StoredSnapshot } from "../../chain/snapshot.ts";
import type { ReaderContext } from "../../indexes/query-source.ts";
import type { ChainReader } from "../../interfaces.ts";
import { systemClock } from "../../runtime/system.ts";
import { lowerPriority, READING_NICENESS } from "../../runtime/thread-priority.ts";
import { InterruptibleReader } from "../../storage/readers/interruptible-reader.ts";
import { openStore } from "../../storage/store.ts";

/** What a reading thread is given. */
export interface ReaderThreadData {
  readonly directory: string;
  /** Where the trees of anchors are, if anywhere. */
  readonly anchors: string | undefined;
  readonly network: string;
  readonly context: ReaderContext;
  readonly info: ApiInfo;
  /** Shared: not 0 when nobody waits for the answer under way. */
  readonly cancelled: Int32Array;
}

if (parentPort === null) throw new Error("This file is the entry of a thread");
const parent = parentPort;
// Only `readers.ts` starts this file.
const { directory, anchors, network, info, cancelled, ...given } = workerData as ReaderThreadData;
lowerPriority(READING_NICENESS);

const store = await openStore(directory, { network, readOnly: true });
const trees = anchors === undefined ? undefined : await openStore(anchors, { network, readOnly: true });
const context: ReaderContext = { ...given.context, leaves: trees && leavesOf(trees) };
const watch = new ReadDeadline(systemClock, () => Atomics.load(cancelled, 0) !== 0);
const reader: ChainReader = {
  read: (reading) =>
    store.read((snapshot) =>
      reading(new StoredSnapshot(new InterruptibleReader(snapshot, watch.check), context)),
    ),
  // Every read has a snapshot of its own.
  renew: () => {},
};

parent.on("message", async (order: ReadJob | "end") => {
  if (order === "end") {
    await trees?.close();
    await store.close();
    parent.close();
    return;
  }
  watch.start();
  const answer = answerRead(order, { reader, info });
  const pieces = answer.kind === "reply" ? answer.pieces : [];
  // They were made for this message alone.
  parent.postMessage(
    answer,
    pieces.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
