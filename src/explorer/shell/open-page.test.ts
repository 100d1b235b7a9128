import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { pages } from "../pages/all.ts";
import { testContext } from "../testing/page-context.ts";
import { ScriptedNode } from "../testing/scripted-node.ts";
import { findPage, followLocation, titleOf, view } from "./open-page.ts";

const problem = { kind: "unknown", message: "", advice: "" } as const;
const node = new ScriptedNode();

afterEach(() => vi.useRealTimers());

beforeEach(() => {
  node.answers.set("/blocks/headers/at/1", {
    json: { generator: "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt", signature: "g" },
  });
});

test.each([
  ["", ""],
  ["forgers", "forgers/:forger?"],
  ["block/5", "block/:id"],
  ["anchor", "anchor/:hash?"],
  ["nowhere", undefined],
  ["block/5/6", undefined],
])("the path '%s' belongs to the page '%s'", (path, pattern) => {
  expect(findPage(pages, path)?.entry.path).toBe(pattern);
});

test("a tab's title begins with its page", () => {
  const page = { path: "", title: () => "Block 5", View: () => expect.fail() };
  const open = { state: "open", key: "", page, params: {}, query: new URLSearchParams() } as const;
  expect(titleOf(open, {}, "dev")).toBe("Block 5 · dev · Holdfast");
  expect(titleOf(open, { title: "Block 5 of 9" }, "dev")).toBe("Block 5 of 9 · dev · Holdfast");
  expect(titleOf({ state: "loading" }, {}, undefined)).toBe("Holdfast");
  expect(titleOf({ state: "failed", problem }, {}, "dev")).toBe("Not found · dev · Holdfast");
  expect(titleOf(open, { problem: { ...problem, kind: "timeout" } }, "dev")).toBe(
    "Something went wrong · dev · Holdfast",
  );
});

test("reports page code that cannot be loaded, and loads it when the node is back", async () => {
  vi.useFakeTimers();
  const page = { path: "", title: () => "Overview", View: () => expect.fail() };
  const fetch = vi.fn(async () => page);
  fetch.mockRejectedValueOnce(new TypeError("Failed to fetch dynamically imported module"));
  const context = await testContext(node.fetch);
  const arrive = vi.fn();
  followLocation([{ path: "", fetch }], context, arrive);
  await vi.advanceTimersByTimeAsync(1);
  expect(view.value).toMatchObject({ problem: { message: "Cannot load this part of the explorer." } });
  context.live.connection.value = { state: "lost", sinceMs: 0, problem };
  context.live.connection.value = { state: "live" };
  await vi.advanceTimersByTimeAsync(1);
  expect(view.value).toMatchObject({ state: "open", page });
  expect(arrive.mock.calls.map(([{ isNew, isComplete }]) => ({ isNew, isComplete }))).toEqual([
    { isNew: true, isComplete: false },
    { isNew: true, isComplete: true },
    { isNew: true, isComplete: false },
    { isNew: true, isComplete: true },
  ]);
});
