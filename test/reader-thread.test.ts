/** The compiled thread that creates long answers. */
import { join } from "node:path";
import { afterAll, expect, test } from "vitest";
import type { QueuedRead } from "../src/api/reading/reader-queue.ts";
import type { ReaderRoute } from "../src/api/route.ts";
import { routes } from "../src/api/routes/all.ts";
import { testInfo } from "../src/api/testing/server.ts";
import { newestUnit } from "../src/chain/reading/changes.ts";
import { ChunkedBody } from "../src/http/responses/reply.ts";
import type { ChainCursor } from "../src/interfaces.ts";
import { createReaderThread } from "../src/node/api/readers.ts";
import { systemClock } from "../src/runtime/system.ts";
import { noCollector, ThreadCollector } from "../src/runtime/threads/thread-metrics.ts";
import { READER_NICENESS } from "../src/runtime/threads/thread-priority.ts";
import { openStore } from "../src/storage/store.ts";
import { RecordingLog } from "../src/testing/dev-node.ts";
import { forgeBlocks, forgedProfile, forgedTrust } from "../src/testing/forged-chain.ts";
import { removeFolder, temporaryFolder } from "./support/node-process.ts";
import { stepsBack } from "./support/thread-priority.ts";

const script = new URL("../dist/node/api/reader-thread.js", import.meta.url);
const home = temporaryFolder("reader-thread");
afterAll(() => removeFolder(home));

const read = (path: string, params: Record<string, string>): QueuedRead => ({
  // The thread receives only the id of the route.
  route: { id: routes.findIndex((route) => route.path === path) } as ReaderRoute,
  params,
  query: new URLSearchParams(),
  accept: undefined,
  now: 0,
});

/** Returns the threads whose metrics are collected. */
async function threadsOf(collector: ThreadCollector): Promise<unknown> {
  const samples = await collector.samples();
  return samples
    .filter(({ name }) => name === "holdfast_thread_active_seconds_total")
    .flatMap(({ values }) => values.map(({ labels }) => labels.thread));
}

test("a thread reads committed data, reports failures, can be cancelled, and ends", async () => {
  const directory = join(home, "chain");
  const store = await openStore(directory, { network: "reading" });
  const { chain } = forgeBlocks(store, 4);
  const info = testInfo({ network: forgedProfile });
  const context = { profile: forgedProfile, rules: chain.rules, indexAll: true, trust: forgedTrust };
  const log = new RecordingLog();
  const collector = new ThreadCollector("main", systemClock);
  const thread = createReaderThread(
    { directory, network: "reading", context, info },
    log,
    { collector, name: "reader-1" },
    script,
  );

  const range = read("/blocks/seq/:from/:to", { from: "1", to: "100" });
  const { status, body } = await thread.read(range);
  expect(status).toBe(200);
  const text = body instanceof ChunkedBody ? Buffer.concat(body.parts).toString() : "";
  const heights = (JSON.parse(text) as { height: number }[]).map(({ height }) => height);
  expect(heights).toEqual(Array.from({ length: chain.tip.height }, (_, i) => i + 1));

  expect(await threadsOf(collector)).toEqual(["main", "reader-1"]);
  expect(stepsBack()).toEqual(process.platform === "linux" ? [READER_NICENESS] : []);

  let tip: ChainCursor | undefined;
  const onTip = (newest: ChainCursor): void => {
    tip = newest;
  };
  const newest = store.read(newestUnit);
  await thread.read({ ...range, onTip });
  expect(tip).toEqual({ ...newest, id: Uint8Array.from(newest.id) });
  tip = undefined;
  const tooLong = { ...read("/blocks/seq/:from/:to", { from: "1", to: "1000" }), onTip };
  await expect(thread.read(tooLong)).rejects.toThrow("Too big sequences requested");
  expect(tip).toEqual({ ...newest, id: Uint8Array.from(newest.id) });

  const reversed = read("/blocks/seq/:from/:to", { from: "2", to: "1" });
  await expect(thread.read(reversed)).rejects.toThrow("Too big sequences requested");
  await expect(thread.read(read("/none", {}))).rejects.toThrow("Not a reader route");

  const unwanted = thread.read(range);
  thread.cancel();
  await expect(unwanted).rejects.toThrow("answer takes too long");
  expect((await thread.read(range)).status).toBe(200);

  await thread.close();
  // The next request gets another thread.
  expect((await thread.read(range)).status).toBe(200);
  await thread.close();
  expect(await threadsOf(collector)).toEqual(["main"]);
  collector.close();
  expect(log.lines).toEqual([]);
  await store.close();
});

/** A thread whose answers exceed its memory limit, without a chain that would take long to build. */
const greedy = `
  import { parentPort } from "node:worker_threads";
  const kept = [];
  parentPort.on("message", (order) => {
    if (order === "end") return parentPort.close();
    while (order.params.needs === "much") kept.push(new Array(500_000).fill(0.5));
    parentPort.postMessage({ kind: "reply", status: 200, chunks: [] });
  });`;

test("a read above the memory limit fails, and another thread replaces the one that ended", async () => {
  const info = testInfo({ network: forgedProfile });
  const { chainId, functionality } = forgedProfile;
  const rules = { chainId, functionality, maxTransactionsInMicroBlock: 100 };
  const context = { profile: forgedProfile, rules, indexAll: true, trust: forgedTrust };
  const log = new RecordingLog();
  const data = { directory: home, anchors: undefined, network: "reading", context, info };
  const thread = createReaderThread(
    data,
    log,
    { collector: noCollector, name: "reader-1" },
    new URL(`data:text/javascript,${encodeURIComponent(greedy)}`),
  );
  for (let i = 0; i < 2; i++) {
    expect((await thread.read(read("/any", {}))).status).toBe(200);
    await expect(thread.read(read("/any", { needs: "much" }))).rejects.toThrow("Too big sequences requested");
  }
  expect((await thread.read(read("/any", {}))).status).toBe(200);
  expect(log.lines.map(({ message }) => message)).toEqual(
    Array.from({ length: 2 }, () => "A reader thread failed; the next read starts another one"),
  );
  await thread.close();
});
