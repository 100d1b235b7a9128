import { expect, test, vi } from "vitest";
import { FailedRequestError } from "../../client/index.ts";
import { pages } from "../pages/all.ts";
import { testContext } from "../testing/page-context.ts";
import { ScriptedNode } from "../testing/scripted-node.ts";
import { findPage, followLocation, headingOf, titleOf, view } from "./open-page.ts";

const problem = { kind: "unknown", message: "", advice: "" } as const;

test.each([
  ["", ""],
  ["forgers", "forgers"],
  ["block/5", "block/:id"],
  ["anchor", "anchor/:hash?"],
  ["nowhere", undefined],
  ["block/5/6", undefined],
])("the path '%s' belongs to the page '%s'", (path, pattern) => {
  expect(findPage(pages, path)?.entry.path).toBe(pattern);
});

test("a tab's title begins with its page", () => {
  const page = { title: "Block 5", render: () => expect.fail() };
  expect(titleOf({ state: "open", key: "", page }, "dev")).toBe("Block 5 · dev · Holdfast");
  expect(titleOf({ state: "loading", title: undefined }, undefined)).toBe("Holdfast");
  expect(titleOf({ state: "loading", title: "Block" }, "dev")).toBe("Block · dev · Holdfast");
  expect(titleOf({ state: "failed", problem }, "dev")).toBe("Not found · dev · Holdfast");
  expect(headingOf({ ...problem, kind: "timeout" })).toBe("Something went wrong");
});

test("reports page code that cannot be loaded", async () => {
  const node = new ScriptedNode();
  node.answers.set("/blocks/headers/at/1", {
    json: { generator: "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt", signature: "g" },
  });
  const fetch = () => Promise.reject(new TypeError("Failed to fetch dynamically imported module"));
  await new Promise<void>((arrive) => {
    void testContext(node.fetch).then((context) =>
      followLocation([{ path: "", fetch }], context, () => arrive()),
    );
  });
  expect(view.value).toMatchObject({ problem: { message: "Cannot load this part of the explorer." } });
});

test("retries while an index is built, and keeps the focus", async () => {
  vi.useFakeTimers();
  const node = new ScriptedNode();
  node.answers.set("/blocks/headers/at/1", {
    json: { generator: "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt", signature: "g" },
  });
  const open = vi.fn(async () => ({ title: "Trust", render: () => expect.fail() }));
  const building = new FailedRequestError("GET /trust", 503, { index: "trust", height: 1, of: 2 });
  open.mockRejectedValueOnce(building).mockRejectedValueOnce(building);
  const arrive = vi.fn();
  const loaded = { path: "", title: () => "Trust", refresh: "never", open } as const;
  followLocation([{ path: "", fetch: async () => loaded }], await testContext(node.fetch), arrive);
  await vi.advanceTimersByTimeAsync(1);
  expect(view.value).toMatchObject({ state: "failed", problem: { kind: "building" } });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(view.value).toMatchObject({ state: "failed" });
  await vi.advanceTimersByTimeAsync(5_000);
  expect(view.value).toMatchObject({ state: "open", page: { title: "Trust" } });
  await vi.advanceTimersByTimeAsync(60_000);
  expect(open).toHaveBeenCalledTimes(3);
  expect(arrive).toHaveBeenCalledTimes(1);
  vi.useRealTimers();
});

test("reloads a page with refresh 'tip' after key blocks, not after micro blocks", async () => {
  vi.useFakeTimers();
  const node = new ScriptedNode();
  node.answers.set("/blocks/headers/at/1", {
    json: { generator: "3QXwvTdeVQj6aLNiAJJnxWgRnPETVrE8hrt", signature: "g" },
  });
  const context = await testContext(node.fetch);
  const tip = (height: number, sequence: number) => {
    context.live.tip.value = { height, sequence, id: `id ${height} ${sequence}`, timestamp: 0n };
  };
  tip(5, 0);
  const open = vi.fn(async () => ({ title: "Forgers", render: () => expect.fail() }));
  const loaded = { path: "", title: () => "Forgers", refresh: "tip", open } as const;
  followLocation([{ path: "", fetch: async () => loaded }], context, () => {});
  await vi.advanceTimersByTimeAsync(1);
  expect(open).toHaveBeenCalledTimes(1);
  tip(6, 0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(open).toHaveBeenCalledTimes(2);
  for (const sequence of [1, 2, 3]) {
    tip(6, sequence);
    await vi.advanceTimersByTimeAsync(5_000);
  }
  expect(open).toHaveBeenCalledTimes(2);
  tip(7, 0);
  await vi.advanceTimersByTimeAsync(5_000);
  expect(open).toHaveBeenCalledTimes(3);
  vi.useRealTimers();
});
