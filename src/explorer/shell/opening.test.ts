import { expect, test } from "vitest";
import { pages } from "../pages/all.ts";
import { find, headingOf, titleOf } from "./opening.ts";

const problem = { kind: "unknown", message: "", advice: "" } as const;

test.each([
  ["", ""],
  ["forgers", "forgers"],
  ["block/5", "block/:id"],
  ["anchor", "anchor/:hash?"],
  ["nowhere", undefined],
  ["block/5/6", undefined],
])("the path '%s' is that of the page '%s'", (path, pattern) => {
  expect(find(pages, path)?.entry.path).toBe(pattern);
});

test("a tab is called by what it shows, first", () => {
  const page = { title: "Block 5", draw: () => expect.fail() };
  expect(titleOf({ state: "open", key: "", page }, "dev")).toBe("Block 5 · dev · Holdfast");
  expect(titleOf({ state: "loading", title: undefined }, undefined)).toBe("Holdfast");
  expect(titleOf({ state: "loading", title: "Block" }, "dev")).toBe("Block · dev · Holdfast");
  expect(titleOf({ state: "failed", problem }, "dev")).toBe("Not found · dev · Holdfast");
  expect(headingOf({ ...problem, kind: "late" })).toBe("That did not work");
});
