import { expect, test } from "vitest";
import type { AppliedUnit } from "../../interfaces.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { ReorganisationLog } from "./reorganisation-log.ts";

function unit(height: number, sequence: number, branch: number): AppliedUnit {
  const id = Uint8Array.of(branch, height, sequence);
  return { height, sequence, id, timestamp: 0n, generator: new Uint8Array(26), transactions: [] };
}

test("keeps reverted blocks with their replacements, in their final state", () => {
  const clock = new VirtualClock(1_000);
  const log = new ReorganisationLog(clock);
  clock.advance(500);
  log.follow({
    reverted: [unit(8, 1, 1), unit(8, 0, 1), unit(7, 0, 1), unit(6, 2, 1)],
    committed: [unit(7, 0, 2), unit(8, 0, 2), unit(8, 1, 2), unit(9, 0, 2)],
  });
  expect(log.info).toEqual({
    since: 1_000,
    count: 1,
    newest: [
      {
        timestamp: 1_500,
        commonHeight: 6,
        revertedCount: 2,
        reverted: [Uint8Array.of(1, 7, 0), Uint8Array.of(1, 8, 1)],
        committedCount: 3,
        committed: [Uint8Array.of(2, 7, 0), Uint8Array.of(2, 8, 1), Uint8Array.of(2, 9, 0)],
      },
    ],
  });
});

test("ignores reverted micro blocks and new blocks", () => {
  const log = new ReorganisationLog(new VirtualClock(0));
  log.follow({ reverted: [unit(5, 2, 1)], committed: [unit(6, 0, 1)] });
  log.follow({ reverted: [], committed: [unit(7, 0, 1)] });
  expect(log.info.count).toBe(0);
});

test("keeps the newest fifty, each with the first twenty ids", () => {
  const log = new ReorganisationLog(new VirtualClock(0));
  const heights = Array.from({ length: 30 }, (_, i) => 40 - i);
  for (let branch = 0; branch < 60; branch++)
    log.follow({ reverted: heights.map((height) => unit(height, 0, branch)), committed: [] });
  const { count, newest } = log.info;
  expect(count).toBe(60);
  expect(newest.length).toBe(50);
  expect(newest[0]).toMatchObject({ commonHeight: 10, revertedCount: 30, committedCount: 0 });
  expect(newest[0].reverted).toHaveLength(20);
  expect(newest[0].reverted[0]).toEqual(Uint8Array.of(59, 11, 0));
});
