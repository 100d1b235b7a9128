import { expect, test } from "vitest";
import { DevNode, RecordingLog } from "../testing/dev-node.ts";
import { startHeartbeat } from "./heartbeat.ts";

test("logs height, age of the tip, peers, pool and free disk space every five minutes until it ends", () => {
  const { clock, chain, pool } = new DevNode();
  const log = new RecordingLog();
  const end = startHeartbeat({ clock, log, chain, pool, peers: () => 3, diskFree: () => 4_096 });
  const age = Math.round((clock.now() - Number(chain.tip.keyBlock.timestamp)) / 1_000);
  clock.advance(299_999);
  expect(log.lines).toEqual([]);
  clock.advance(300_001);
  const beat = (tipAgeSeconds: number) => ({
    level: "info",
    message: "Heartbeat",
    facts: { height: 1, tipAgeSeconds, peers: 3, pool: 0, diskFreeBytes: 4_096 },
  });
  expect(log.lines).toEqual([beat(age + 300), beat(age + 600)]);
  end();
  clock.advance(600_000);
  expect(log.lines).toHaveLength(2);
});
