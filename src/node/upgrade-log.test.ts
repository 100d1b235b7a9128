import { expect, test } from "vitest";
import { RecordingLog } from "../testing/dev-node.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { upgradeLog } from "./upgrade-log.ts";

test("logs the begin and the end of an upgrade, and its progress every ten seconds", () => {
  const log = new RecordingLog();
  const clock = new VirtualClock(0);
  const listen = upgradeLog(log, "/data/chain", clock);
  listen({ from: 4, step: "begin" });
  for (let block = 1; block <= 25; block++) {
    clock.advance(1_000);
    listen({ from: 4, step: "commit", progressText: `associations, block ${block}` });
  }
  listen({ from: 4, step: "end" });
  const progress = (block: number) => ({
    level: "info",
    message: "Upgrading the store",
    facts: { done: `associations, block ${block}` },
  });
  expect(log.lines).toEqual([
    {
      level: "warn",
      message: "Upgrading the store /data/chain from format 4 to 7: older versions cannot read it afterwards",
      facts: {},
    },
    progress(10),
    progress(20),
    { level: "info", message: "Upgraded the store /data/chain from format 4 to 7", facts: { seconds: 25 } },
  ]);
});
