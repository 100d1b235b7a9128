import { expect, test } from "vitest";
import { testLive } from "../testing/page-context.ts";
import { stalenessOf } from "./staleness.ts";

const NOW = 1_795_292_997_921;

/** Blocks with these ages in seconds, newest first. */
function chain(...ages: readonly number[]) {
  const live = testLive();
  live.heardAtMs.value = NOW;
  live.blocks.value = ages.map((age, i) => ({
    height: 100 - i,
    id: `id ${i}`,
    generator: "3N",
    timestamp: BigInt(NOW - 1_000 * age),
    transactionCount: 0,
    microBlocks: [],
    liquid: i === 0,
  }));
  const [newest] = live.blocks.value;
  live.tip.value = { height: 100, sequence: 0, id: newest.id, timestamp: newest.timestamp };
  return live;
}

test("a chain is live while its newest block is as new as its rhythm allows", () => {
  expect(stalenessOf(chain(12, 22, 31), NOW)).toBeUndefined();
  expect(stalenessOf(chain(200, 260, 320), NOW)).toBeUndefined();
});

test("a chain is stale when it misses its rhythm, also with an open connection", () => {
  expect(stalenessOf(chain(45, 50, 55), NOW)).toEqual({ missing: "blocks", sinceMs: 45_000 });
  expect(stalenessOf(chain(250, 310, 370), NOW)).toEqual({ missing: "blocks", sinceMs: 250_000 });
  const years = 997 * 24 * 3_600;
  expect(stalenessOf(chain(years, years + 60), NOW)).toMatchObject({ missing: "blocks" });
});

test("a stream without heartbeats is stale before the connection ends", () => {
  const live = chain(1, 11);
  live.heardAtMs.value = NOW - 21_000;
  expect(stalenessOf(live, NOW)).toEqual({ missing: "data", sinceMs: 21_000 });
  live.connection.value = { state: "connecting" };
  expect(stalenessOf(live, NOW)).toBeUndefined();
});
