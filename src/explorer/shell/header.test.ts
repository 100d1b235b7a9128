import { expect, test } from "vitest";
import { InvalidAnswerError } from "../../client/bounded-fetch.ts";
import type { Connection } from "../page.ts";
import { connectionLabel, healthLabel } from "./header.tsx";
import { type Health, parseHealth } from "./health.ts";

const well: Health = {
  status: "ok",
  state: "well",
  reasons: [],
  height: 5,
  timestamp: 0n,
  peers: 3,
  forging: "on",
  version: "0.1.0",
  keyRoutes: "key",
};
const wrong: Health = { ...well, state: "wrong", reasons: [{ code: "disk", message: "The disk is full." }] };
const problem = { kind: "unreachable", message: "The node cannot be reached.", advice: "" } as const;

test.each<[Connection, string, string]>([
  [{ state: "connecting" }, "connecting", "unsettled"],
  [{ state: "live" }, "live", "right"],
  [{ state: "lost", sinceMs: 0, problem }, "The node cannot be reached. Trying again.", "wrong"],
])("shows the connection %o as '%s'", (connection, text, kind) => {
  expect(connectionLabel(connection)).toMatchObject({ text, kind });
});

test("shows how old the newest block is instead of 'live'", () => {
  expect(connectionLabel({ state: "live" }, { missing: "blocks", sinceMs: 45_000 })).toMatchObject({
    text: "stale, last block 45 s ago",
    kind: "unsettled",
  });
  expect(connectionLabel({ state: "live" }, { missing: "data", sinceMs: 25_000 })).toMatchObject({
    text: "stale, no data for 25 s",
  });
});

test("shows a healthy node, or its worst problem", () => {
  expect(healthLabel(well)).toMatchObject({ text: "healthy", kind: "right" });
  expect(healthLabel(wrong)).toMatchObject({ text: "The disk is full.", kind: "wrong" });
  const behind: Health = { ...wrong, state: "behind" };
  expect(healthLabel(behind)).toMatchObject({ text: "The disk is full.", kind: "unsettled" });
});

test.each<unknown>([
  null,
  {},
  "well",
  { ...well, reasons: [null] },
  { ...well, reasons: {} },
  { ...well, peers: "many" },
])("rejects the invalid health report %o", (answer) => {
  // A node can answer anything.
  expect(() => parseHealth(answer as Health)).toThrow(InvalidAnswerError);
  expect(parseHealth(wrong)).toBe(wrong);
});
