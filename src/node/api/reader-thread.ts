/**
 * Entry of a reading thread: opens the store for reading, and makes one answer after the other (`readers.ts` starts it,
 * from the HTTP thread).
 */
import { parentPort, workerData } from "node:worker_threads";
import type { ApiInfo } from "../../api/info.ts";
import { answerRead, ReadWatch } from "../../api/reading/answer-reads.ts";
import type { ReadOrder } from "../../api/reading/reading-thread.ts";
import { StoredSnapshot } from "../../chain/snapshot.ts";
import type { ReaderContext } from "../../indexes/query-source.ts";
import type { ChainReader } from "../../interfaces.ts";
import { systemClock } from "../../runtime/system.ts";
import { BEHIND_READING, stepBack } from "../../runtime/thread-priority.ts";
import { WatchedReader } from "../../storage/readers/watched-reader.ts";
import { openStore } from "../../storage/store.ts";
import { leavesOf } from "./leaves-of.ts";

/** What a reading thread is given. */
export interface ReaderData {
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
const { directory, anchors, network, info, cancelled, ...given } = workerData as ReaderData;
stepBack(BEHIND_READING);

const store = await openStore(directory, { network, readOnly: true });
const trees = anchors === undefined ? undefined : await openStore(anchors, { network, readOnly: true });
const context: ReaderContext = { ...given.context, leaves: trees && leavesOf(trees) };
const watch = new ReadWatch(systemClock, () => Atomics.load(cancelled, 0) !== 0);
const reader: ChainReader = {
  read: (reading) =>
    store.read((snapshot) => reading(new StoredSnapshot(new WatchedReader(snapshot, watch.look), context))),
  // Every read has a snapshot of its own.
  renew: () => {},
};

parent.on("message", async (order: ReadOrder | "end") => {
  if (order === "end") {
    await trees?.close();
    await store.close();
    parent.close();
    return;
  }
  watch.begin();
  const answer = answerRead(order, { reader, info });
  const pieces = answer.kind === "reply" ? answer.pieces : [];
  // They were made for this message alone.
  parent.postMessage(
    answer,
    pieces.map(({ buffer }) => buffer as ArrayBuffer),
  );
});
