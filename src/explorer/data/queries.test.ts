import { expect, test, vi } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Problem } from "../page.ts";
import { testLive } from "../testing/page-context.ts";
import { settled } from "../testing/scripted-node.ts";
import { Queries } from "./queries.ts";

const problem = (kind: Problem["kind"]): Problem => ({ kind, message: "no", advice: "" });

function start() {
  const clock = new VirtualClock(1_000_000);
  const live = testLive();
  // Tests throw problems.
  const queries = new Queries({ live, clock, diagnose: async (error) => error as Problem });
  const load = vi.fn(async () => "value");
  const get = (version?: string, minIntervalMs?: number) =>
    queries.get("key", load, { version, minIntervalMs: minIntervalMs ?? 0 });
  const pass = async (ms: number): Promise<void> => {
    await settled();
    clock.advance(ms);
    await settled();
  };
  return { clock, live, queries, load, get, pass };
}

test("parts that show the same value load it once", async () => {
  const { queries, load, get, pass } = start();
  const result = get();
  expect(result.value).toBeUndefined();
  expect(queries.isLoading.value).toBe(true);
  get();
  await pass(0);
  expect(result.value).toEqual({ ok: true, value: "value" });
  expect(queries.isLoading.value).toBe(false);
  get();
  await pass(60_000);
  expect(load).toHaveBeenCalledTimes(1);
});

test("a version that becomes known loads nothing, and another one loads the value again", async () => {
  const { load, get, pass } = start();
  get(undefined);
  await pass(0);
  get("5");
  await pass(60_000);
  expect(load).toHaveBeenCalledTimes(1);
  load.mockResolvedValue("newer");
  get("6");
  get("7");
  await pass(1_000);
  expect(load).toHaveBeenCalledTimes(2);
  expect(get("7").value).toEqual({ ok: true, value: "newer" });
});

test("a value is loaded at most once in its interval", async () => {
  const { load, get, pass } = start();
  for (let version = 0; version < 110; version++) {
    get(String(version), 60_000);
    await pass(1_000);
  }
  expect(load).toHaveBeenCalledTimes(2);
});

test("a change during a load loads the value once more", async () => {
  const { load, get, pass } = start();
  get("1");
  get("2");
  get("3");
  await pass(1_000);
  await pass(60_000);
  expect(load).toHaveBeenCalledTimes(2);
});

test("a failed reload keeps the old value", async () => {
  const { load, get, pass } = start();
  get("1");
  await pass(0);
  load.mockRejectedValue(problem("timeout"));
  get("2");
  await pass(1_000);
  expect(load).toHaveBeenCalledTimes(2);
  expect(get("2").value).toEqual({ ok: true, value: "value" });
});

test("a watched value is loaded again while the node is busy, and when the connection is back", async () => {
  const { live, queries, load, get, pass } = start();
  load.mockRejectedValueOnce(problem("busy")).mockRejectedValueOnce(problem("unreachable"));
  const result = get();
  const unwatch = queries.watch("key");
  await pass(0);
  expect(result.value).toMatchObject({ ok: false, problem: { kind: "busy" } });
  await pass(5_000);
  expect(result.value).toMatchObject({ ok: false, problem: { kind: "unreachable" } });
  live.connection.value = { state: "lost", sinceMs: 0, problem: problem("unreachable") };
  live.connection.value = { state: "live" };
  await pass(0);
  expect(result.value).toEqual({ ok: true, value: "value" });
  unwatch();
  expect(load).toHaveBeenCalledTimes(3);
});

test("old values that no part shows are removed", async () => {
  const { queries, load, pass } = start();
  const keep = queries.get("kept", load);
  queries.watch("kept");
  for (let i = 0; i < 300; i++) {
    queries.get(`key ${i}`, load);
    await settled();
  }
  expect(queries.get("kept", load)).toBe(keep);
  load.mockClear();
  queries.get("key 299", load);
  queries.get("key 0", load);
  await pass(0);
  expect(load).toHaveBeenCalledTimes(1);
});
