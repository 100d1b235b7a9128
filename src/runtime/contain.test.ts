import { expect, test } from "vitest";
import { RecordingLog } from "../testing/dev-node.ts";
import { contain } from "./contain.ts";

const error = new TypeError("broken");
const fails = (): never => {
  throw error;
};

test("work that throws or rejects is logged once, and its sender is dropped", async () => {
  const log = new RecordingLog();
  let dropped = 0;
  const onFailure = (): void => {
    dropped++;
  };
  const containment = { log, message: "Bytes could not be handled", facts: { peer: "one" }, onFailure };
  expect(contain(containment, fails)).toBeUndefined();
  await contain(containment, async () => fails());
  expect(dropped).toBe(2);
  expect(log.lines).toEqual(
    Array(2).fill({ level: "error", message: "Bytes could not be handled", facts: { peer: "one", error } }),
  );
});

test("work that succeeds drops no sender", async () => {
  const log = new RecordingLog();
  let done = 0;
  const containment = { log, message: "no", onFailure: fails };
  contain(containment, () => done++);
  await contain(containment, async () => done++);
  expect(done).toBe(2);
  expect(log.lines).toEqual([]);
});

test("a failing onFailure is logged too", () => {
  const log = new RecordingLog();
  contain({ log, message: "no", onFailure: fails }, fails);
  expect(log.lines.map(({ level }) => level)).toEqual(["error", "error"]);
});
