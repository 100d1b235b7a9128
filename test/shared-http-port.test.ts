/** A node with two compiled HTTP threads: one port, and limits that hold for the node. */
import { openSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import { afterAll, expect, test } from "vitest";
import { ipNetwork } from "../src/bytes/ip.ts";
import type { ApiLauncher } from "../src/node/api/api.ts";
import { dev } from "../src/profiles/index.ts";
import { RecordingLog, rootKeyPair } from "../src/testing/dev-node.ts";
import { settingsOf } from "../src/testing/settings.ts";
import { simulatedEnvironment } from "../src/testing/simulated-environment.ts";
import { fixedWallet } from "../src/wallet/fixed-wallet.ts";
import { removeFolder, temporaryFolder, until } from "./support/node-process.ts";

const dataDir = temporaryFolder("http-threads");
afterAll(() => removeFolder(dataDir));

const built = <T>(path: string): Promise<T> => import(new URL(`../dist/${path}.js`, import.meta.url).href);

const RATE_LIMIT = 60;
/** With 64 connections the node has room for 37 streams (600 of 1,024). */
const MAX_CONNECTIONS = 64;
const MAX_STREAMS = 37;

async function startNode() {
  const { startNode } = await built<typeof import("../src/node.ts")>("node");
  const { openNodeStore } = await built<typeof import("../src/node/composition.ts")>("node/composition");
  const { startApiThread } = await built<typeof import("../src/node/api/api.ts")>("node/api/api");
  const { restartingApi } =
    await built<typeof import("../src/node/api/restarting-api.ts")>("node/api/restarting-api");
  const { shareHttpCounts, sharedHttpCounts } =
    await built<typeof import("../src/http/counts.ts")>("http/counts");
  const { LogLevels } = await built<typeof import("../src/runtime/logging/log-levels.ts")>(
    "runtime/logging/log-levels",
  );
  const { systemClock } = await built<typeof import("../src/runtime/system.ts")>("runtime/system");
  const proxy = ipNetwork("127.0.0.1");
  if (proxy === undefined) throw new Error("127.0.0.1 is an address");
  const settings = settingsOf(dev, {
    dataDir,
    api: {
      port: 0,
      adminPort: 0,
      threads: 2,
      rateLimit: RATE_LIMIT,
      // Tests name their senders in `X-Forwarded-For`.
      trustedProxies: [proxy],
      apiKeyHash: new Uint8Array(32).fill(7),
    },
    forging: { enabled: false },
  });
  const memory = shareHttpCounts(2, MAX_CONNECTIONS, 7);
  const launchers: ApiLauncher[] = [];
  const log = new RecordingLog();
  const levels = LogLevels.of({ level: "info", areas: {} });
  const http = restartingApi((thread) => {
    const options = { thread, counts: memory, maxConnections: MAX_CONNECTIONS, levels };
    const launcher = startApiThread(log, options);
    launchers[thread] = launcher;
    return launcher;
  }, 2);
  const store = await openNodeStore(settings);
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const environment = {
    ...simulatedEnvironment({ clock: systemClock, wallet, store, log, http }),
    close: () => store.close(),
  };
  const node = await startNode(environment, settings);
  const admin = log.lines.map(({ message }) => /API key are at (\S+) only$/.exec(message)?.[1]).find(Boolean);
  const counts = sharedHttpCounts(memory, 0);
  const requestsOf = new Int32Array(memory.sums.requests);
  return { node, admin: String(admin), launchers, counts, requestsOf, log };
}

test("two threads share the port, the limits and the restarts of a node", async () => {
  const { node, admin, launchers, counts, requestsOf, log } = await startNode();
  let serial = 0;
  /** By default, each request has another sender. */
  const ask = (path: string, headers: Record<string, string> = {}, url = String(node.url)) => {
    const sender = `10.0.${serial >> 8}.${serial++ & 255}`;
    return fetch(url + path, { headers: { connection: "close", "x-forwarded-for": sender, ...headers } });
  };
  const statusOf = async (path: string, headers?: Record<string, string>, url?: string): Promise<number> => {
    const response = await ask(path, headers, url);
    await response.arrayBuffer();
    return response.status;
  };
  /** Sends requests, each on its own connection, until both threads have answered some. */
  const untilBothAnswer = async (path: string, headers?: Record<string, string>): Promise<number[]> => {
    const before = [...requestsOf];
    const statuses: number[] = [];
    await until("answers of both threads", async () => {
      for (let i = 0; i < 10; i++) statuses.push(await statusOf(path, headers));
      return requestsOf.every((count, thread) => count > (before[thread] as number)) || undefined;
    });
    return statuses;
  };
  try {
    // The rate limit counts a sender in both threads.
    const statuses = await untilBothAnswer("/blocks/height", { "x-forwarded-for": "192.0.2.1" });
    while (statuses.length < RATE_LIMIT + 20)
      statuses.push(await statusOf("/blocks/height", { "x-forwarded-for": "192.0.2.1" }));
    expect(statuses.filter((status) => status === 200)).toHaveLength(RATE_LIMIT);
    expect(statuses.slice(0, RATE_LIMIT).every((status) => status === 200)).toBe(true);
    expect(await statusOf("/blocks/height", { "x-forwarded-for": "192.0.2.2" })).toBe(200);

    // Wrong keys count for the node; key routes are on the admin port only, which the first thread opened.
    const guess = { "x-api-key": "wrong", "x-forwarded-for": "192.0.2.3" };
    for (let i = 0; i < 5; i++) expect(await statusOf("/debug/info", guess, admin)).toBe(403);
    expect(counts.runExclusively(() => counts.guesses.get("192.0.2.3"))).toBe(5);
    expect(new Set(await untilBothAnswer("/debug/info"))).toEqual(new Set([404]));

    // Event streams have one limit, and a thread that ends gives back its streams.
    const streams: Response[] = [];
    for (let i = 0; i < MAX_STREAMS + 8; i++)
      streams.push(await fetch(`${node.url}/events`, { headers: { "x-forwarded-for": `198.51.100.${i}` } }));
    expect(streams.filter(({ status }) => status === 200)).toHaveLength(MAX_STREAMS);
    expect(counts.streams.total).toBe(MAX_STREAMS);
    await Promise.all(streams.map(({ body }) => body?.cancel()));
    await until("closed streams", async () => counts.streams.total === 0 || undefined);

    // If a thread ends, the other one answers all requests; then a new thread shares its port.
    await launchers[0]?.abandon();
    expect(await statusOf("/blocks/height")).toBe(200);
    await until("a restarted thread", async () => {
      const isRestarted = log.lines.some(({ message }) => message.startsWith("HTTP interface restarted"));
      expect(await statusOf("/node/status")).toBe(200);
      return isRestarted || undefined;
    });
    expect(new Set(await untilBothAnswer("/blocks/height"))).toEqual(new Set([200]));
    expect(await statusOf("/debug/info", guess, admin)).toBe(403);
    expect(counts.runExclusively(() => counts.guesses.get("192.0.2.3"))).toBe(6);
    expect(counts.restarts[0]).toBe(1);

    // Control calls of both threads reach the node.
    expect(new Set(await untilBothAnswer("/health/live"))).toEqual(new Set([200]));
  } finally {
    await node.stop();
  }
  await expect(ask("/blocks/height")).rejects.toThrow();
  expect(log.lines.filter(({ level }) => level === "error").map(({ facts }) => facts)).toEqual([
    { restarts: 1, thread: 1 },
  ]);
});

test("the lock of shared counts excludes other threads", async () => {
  const cells = new SharedArrayBuffer(8);
  const lock = new SharedArrayBuffer(8);
  const url = new URL("../dist/runtime/threads/shared-lock.js", import.meta.url).href;
  const code = `import(${JSON.stringify(url)}).then(({ SharedLock }) => {
    const { cells, lock, thread } = require("node:worker_threads").workerData;
    const shared = new SharedLock(lock, thread), counts = new Int32Array(cells);
    for (let i = 0; i < 20000; i++) shared.run(() => { counts[0] = counts[0] + 1; });
  })`;
  const ends = [0, 1, 2].map((thread) => {
    const worker = new Worker(code, { eval: true, workerData: { cells, lock, thread } });
    return new Promise((resolve, reject) => worker.once("exit", resolve).once("error", reject));
  });
  await Promise.all(ends);
  expect(new Int32Array(cells)[0]).toBe(60_000);
});

test("a handle that is not a listening socket cannot be shared", async () => {
  const { sharePort } = await built<typeof import("../src/runtime/threads/share-port.ts")>(
    "runtime/threads/share-port",
  );
  const file = openSync(join(dataDir, "file"), "w");
  await expect(sharePort(file)).rejects.toThrow(/^Cannot share the HTTP port between threads: /);
});
