/** The compiled HTTP thread: when it ends while the node continues, and when it starts before the node. */
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import type { ApiLauncher } from "../src/node/api/api.ts";
import { dev } from "../src/profiles/index.ts";
import { RecordingLog, rootKeyPair } from "../src/testing/dev-node.ts";
import { settingsOf } from "../src/testing/settings.ts";
import { simulatedEnvironment } from "../src/testing/simulated-environment.ts";
import { fixedWallet } from "../src/wallet/fixed-wallet.ts";
import { removeFolder, temporaryFolder, until } from "./support/node-process.ts";

const dataDir = temporaryFolder("http-thread");
afterAll(() => removeFolder(dataDir));

/** A compiled module, from which threads are started. */
async function built<T>(path: string): Promise<T> {
  // The compiled form of the same module.
  return (await import(new URL(`../dist/${path}.js`, import.meta.url).href)) as T;
}

test("the node replaces a thread that ended: the same port answers and reports the number of restarts", async () => {
  const { startNode } = await built<typeof import("../src/node.ts")>("node");
  const { openNodeStore } = await built<typeof import("../src/node/composition.ts")>("node/composition");
  const { startApiThread } = await built<typeof import("../src/node/api/api.ts")>("node/api/api");
  const { restartingApi } =
    await built<typeof import("../src/node/api/restarting-api.ts")>("node/api/restarting-api");
  const { systemClock } = await built<typeof import("../src/runtime/system.ts")>("runtime/system");
  const settings = settingsOf(dev, {
    dataDir,
    api: { port: 0, adminPort: 0, prefix: "/lto" },
    forging: { enabled: false },
  });
  const log = new RecordingLog();
  const threads: ApiLauncher[] = [];
  const http = restartingApi(() => {
    const thread = startApiThread(log);
    threads.push(thread);
    return thread;
  });
  const store = await openNodeStore(settings);
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const environment = {
    ...simulatedEnvironment({ clock: systemClock, wallet, store, log, http }),
    close: () => store.close(),
  };
  const node = await startNode(environment, settings);
  const said = log.lines.map(({ message }) => /API key are at (\S+) only$/.exec(message)?.[1]);
  const admin = String(said.find((url) => url !== undefined));
  const ask = async (path: string, url = String(node.url)): Promise<Record<string, unknown> | undefined> => {
    try {
      const response = await fetch(url + path);
      // Every route in this test answers with an object.
      return (await response.json()) as Record<string, unknown>;
    } catch {
      // No thread is listening at the moment.
      return undefined;
    }
  };
  try {
    expect(await ask("/debug/info", admin)).not.toHaveProperty("httpRestarts");
    for (const times of [1, 2]) {
      // Only the node should stop the thread, so the node treats any other end as a failure.
      await threads.at(-1)?.abandon();
      await until("an answer of the next thread", async () => {
        const info = await ask("/debug/info", admin);
        return info?.httpRestarts === times || undefined;
      });
    }
    expect(await ask("/blocks/height")).toEqual({ height: 1 });
    expect(threads).toHaveLength(3);
    expect(new URL(String(node.url)).pathname).toBe("/lto");
    // Key routes, called above, are on the new thread as well.
    expect(await ask("/debug/info")).toEqual({ error: 404, message: "not found" });
  } finally {
    await node.stop();
  }
  expect(await ask("/blocks/height")).toBeUndefined();
  const ends = log.lines.filter(({ message }) => message.startsWith("The HTTP thread ended unexpectedly"));
  expect(ends.map(({ facts }) => facts.restarts)).toEqual([1, 2]);
});

test("a start that is stopped while the HTTP thread loads does not open the port", async () => {
  const { startNode } = await built<typeof import("../src/node.ts")>("node");
  const { openNodeStore } = await built<typeof import("../src/node/composition.ts")>("node/composition");
  const { startApiThread } = await built<typeof import("../src/node/api/api.ts")>("node/api/api");
  const { systemClock } = await built<typeof import("../src/runtime/system.ts")>("runtime/system");
  const settings = settingsOf(dev, {
    dataDir: join(dataDir, "stopped"),
    api: { port: 0 },
    forging: { enabled: false },
  });
  const starting = new AbortController();
  const stopped = new Error("stopped");
  const log = new RecordingLog();
  const thread = startApiThread(log);
  let served: Promise<unknown> | undefined;
  const http: ApiLauncher = {
    abandon: thread.abandon,
    serve: (dependencies) => {
      const server = thread.serve(dependencies);
      served = server.catch((error: unknown) => error);
      starting.abort(stopped);
      return server;
    },
  };
  const store = await openNodeStore(settings);
  const wallet = fixedWallet([rootKeyPair], dev.chainId);
  const environment = {
    ...simulatedEnvironment({ clock: systemClock, wallet, store, log, http }),
    close: () => store.close(),
  };
  await expect(startNode(environment, settings, starting.signal)).rejects.toBe(stopped);
  expect(await served).toEqual(new Error("The HTTP thread ended before it listened"));
  expect(log.lines).toEqual([]);
});

describe("an HTTP thread that is started before the settings are known", () => {
  /** Starts a node with such a thread, and returns both. */
  async function startWithEarlyThread(name: string, api: object) {
    const { startNode } = await built<typeof import("../src/node.ts")>("node");
    const { startEarlyHttpThread } =
      await built<typeof import("../src/node/api/http-thread.ts")>("node/api/http-thread");
    const { createSystemEnvironment } =
      await built<typeof import("../src/node/system-environment.ts")>("node/system-environment");
    const { LogLevels } = await built<typeof import("../src/runtime/logging/log-levels.ts")>(
      "runtime/logging/log-levels",
    );
    const folder = join(dataDir, name);
    const settings = settingsOf(dev, {
      dataDir: folder,
      wallet: { file: join(folder, "wallet.bin") },
      api,
      forging: { enabled: false, feeVoteFile: join(folder, "fee-vote") },
    });
    const started = startEarlyHttpThread();
    const thread = started.take();
    if (thread === undefined) throw new Error("The first call returns the thread");
    let taken = 0;
    const early = { take: () => (taken++ === 0 ? thread : undefined) };
    const logs = { log: new RecordingLog(), levels: LogLevels.of({ level: "info", areas: {} }) };
    const handles = { connections: 10, warning: undefined };
    const environment = await createSystemEnvironment(settings, logs, handles, undefined, early);
    return { started, thread, node: await startNode(environment, settings) };
  }

  test("serves, and is handed over once", async () => {
    const { started, thread, node } = await startWithEarlyThread("early", { port: 0 });
    try {
      expect(await (await fetch(`${node.url}/blocks/height`)).json()).toEqual({ height: 1 });
      expect(started.take()).toBeUndefined();
    } finally {
      await node.stop();
    }
    await thread.ended;
  });

  test("ends if the settings have no HTTP", async () => {
    const { thread, node } = await startWithEarlyThread("without-http", { enabled: false });
    await thread.ended;
    expect(node.url).toBeUndefined();
    await node.stop();
  });
});
