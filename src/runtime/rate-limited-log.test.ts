import { expect, test } from "vitest";
import { RecordingLog } from "../testing/dev-node.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { rateLimitedLog } from "./rate-limited-log.ts";

test("limits lines per level and counts the omitted ones", () => {
  const clock = new VirtualClock(0);
  const log = new RecordingLog();
  const budgeted = rateLimitedLog(log, clock);
  for (let i = 0; i < 100; i++) {
    budgeted.info(`banned ${i}`, { reason: "for a test" });
    budgeted.debug("heard");
  }
  budgeted.error("a fault");
  clock.advance(10_000);
  budgeted.info("banned again");
  budgeted.info("banned once more");
  clock.advance(10_000);
  budgeted.info("banned at last");
  const lines = (level: string) => log.lines.filter((line) => line.level === level);
  expect(lines("debug")).toHaveLength(100);
  expect(lines("error")).toEqual([{ level: "error", message: "a fault", facts: {} }]);
  expect(lines("info")).toHaveLength(32);
  expect(lines("info").slice(-3)).toEqual([
    { level: "info", message: "banned 29", facts: { reason: "for a test" } },
    { level: "info", message: "banned again", facts: { omittedBefore: 70 } },
    { level: "info", message: "banned at last", facts: { omittedBefore: 1 } },
  ]);
});
