/** Threads that end unexpectedly, on a virtual clock. `test/http-thread.test.ts` has real ones. */
import { setImmediate as turn } from "node:timers/promises";
import { expect, test } from "vitest";
import { explainError } from "../../cli/exit-codes.ts";
import { dev } from "../../profiles/index.ts";
import { RecordingLog } from "../../testing/dev-node.ts";
import { settingsOf } from "../../testing/settings.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { ApiDependencies, ApiLauncher, ApiServer } from "./api.ts";
import { ApiThreadError } from "./api-thread-error.ts";
import { restartingApi } from "./restarting-api.ts";

const MINUTE = 60_000;

async function serve() {
  const clock = new VirtualClock(1_000);
  const log = new RecordingLog();
  const started: { at: number; port: number; restarts: number | undefined }[] = [];
  const given: Error[] = [];
  let end: () => void = () => {};
  const faults = { listen: false };
  const start = (): ApiLauncher => {
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    return {
      async serve({ settings, restarts }): Promise<ApiServer> {
        started.push({ at: clock.now(), port: settings.api.port, restarts });
        if (faults.listen) throw new Error("the port is taken");
        return { url: "http://127.0.0.1:7001", port: 7001, close: async () => end(), ended };
      },
      abandon: async () => end(),
    };
  };
  const dependencies = { settings: settingsOf(dev, { api: { port: 0 } }), clock, log };
  const server = await restartingApi(start).serve({
    // Passed on unchanged.
    ...(dependencies as unknown as ApiDependencies),
    giveUp: (reason) => given.push(reason),
  });
  const settle = async (ms = 0): Promise<void> => {
    await turn();
    clock.advance(ms);
    await turn();
  };
  const die = async (ms = 0): Promise<void> => {
    end();
    await settle(ms);
  };
  return { clock, log, started, given, faults, server, settle, die };
}

test("replaces a thread at once, on the same port", async () => {
  const { started, die, server, log, given } = await serve();
  expect(server.url).toBe("http://127.0.0.1:7001");
  await die();
  expect(started).toEqual([
    { at: 1_000, port: 0, restarts: undefined },
    { at: 1_000, port: 7001, restarts: 1 },
  ]);
  expect(log.lines.map(({ level, facts }) => [level, facts.restarts])).toEqual([
    ["error", 1],
    ["info", 1],
  ]);
  expect(given).toEqual([]);
});

test("the fifth exit within ten minutes ends the node, with its own exit code", async () => {
  const { started, die, given, clock } = await serve();
  for (let i = 0; i < 4; i++) {
    expect(given).toEqual([]);
    await die(MINUTE);
  }
  expect(started).toHaveLength(5);
  await die(MINUTE);
  expect(given).toEqual([expect.any(ApiThreadError)]);
  expect(explainError(given[0])).toEqual({
    code: 6,
    text: "The HTTP thread ended 5 times within 10 minutes: see the log for the reasons",
  });
  expect(started).toHaveLength(5);
  expect(clock.pending).toBe(0);
});

test("restarts after rarer exits, with growing delays", async () => {
  const { started, die, given, settle, clock } = await serve();
  for (let i = 0; i < 20; i++) await die(3 * MINUTE);
  expect(started.length).toBe(21);
  expect(given).toEqual([]);
  await settle(11 * MINUTE);
  const waits: number[] = [];
  for (let i = 0; i < 4; i++) {
    const at = clock.now();
    await die(10_000);
    waits.push((started.at(-1)?.at ?? 0) - at);
  }
  expect(waits).toEqual([0, 1_000, 2_000, 4_000]);
});

test("a restart that cannot listen counts as an exit", async () => {
  const { faults, die, settle, given } = await serve();
  faults.listen = true;
  await die();
  for (let i = 0; i < 10; i++) await settle(MINUTE);
  expect(given).toEqual([expect.any(ApiThreadError)]);
});

test("does not restart a thread that the node closed", async () => {
  const { started, server, settle, die, clock, log } = await serve();
  await die();
  await die();
  await server.close();
  await settle(10 * MINUTE);
  expect(started).toHaveLength(2);
  expect(clock.pending).toBe(0);
  expect(log.lines.filter(({ level }) => level === "error")).toHaveLength(2);
});

test("several threads share the port of one that runs, and their exits count together", async () => {
  const clock = new VirtualClock(1_000);
  const log = new RecordingLog();
  const started: string[] = [];
  const given: Error[] = [];
  const ends: (() => void)[] = [];
  let fd = 20;
  const keys = { current: [], onChange: () => () => {} };
  const launcher = (thread: number): ApiLauncher => {
    const ended = new Promise<void>((resolve) => {
      ends[thread] = resolve;
    });
    return {
      async serve({ settings, sharedFd, restarts, namedKeys }) {
        expect(namedKeys).toBe(keys);
        started.push(`${thread}: port ${settings.api.port}, fd ${sharedFd}, restarts ${restarts}`);
        return { url: "http://127.0.0.1:7001", port: 7001, fd: ++fd, close: async () => {}, ended };
      },
      abandon: async () => ends[thread]?.(),
    };
  };
  const server = await restartingApi(launcher, 3).serve({
    ...({ settings: settingsOf(dev, { api: { port: 0 } }), clock, log } as unknown as ApiDependencies),
    namedKeys: keys,
    giveUp: (reason) => given.push(reason),
  });
  const die = async (thread: number): Promise<void> => {
    ends[thread]?.();
    await turn();
    clock.advance(MINUTE);
    await turn();
  };
  await die(0);
  await die(2);
  expect(started).toEqual([
    "0: port 0, fd undefined, restarts undefined",
    "1: port 7001, fd 21, restarts undefined",
    "2: port 7001, fd 21, restarts undefined",
    "0: port 7001, fd 22, restarts 1",
    "2: port 7001, fd 22, restarts 2",
  ]);
  expect(log.lines.filter(({ level }) => level === "error").map(({ facts }) => facts)).toEqual([
    { restarts: 1, thread: 1 },
    { restarts: 2, thread: 3 },
  ]);
  for (const thread of [0, 1, 2]) await die(thread);
  expect(given).toEqual([expect.any(ApiThreadError)]);
  await server.close();
  expect(clock.pending).toBe(0);
});
