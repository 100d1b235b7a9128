import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { Credit } from "./credit.ts";

const HALF_HOUR = 1_800_000;

test("credit adds up, to a limit, and fades to nothing", () => {
  const clock = new VirtualClock(0);
  const credit = new Credit(clock);
  expect([credit.points, credit.since]).toEqual([0, 0]);
  credit.add("transaction");
  credit.add("microBlock", 2);
  clock.advance(HALF_HOUR);
  expect([credit.points, credit.since]).toEqual([5.5, 0]);
  credit.add("block");
  expect([credit.points, credit.since]).toEqual([25.5, HALF_HOUR]);
  credit.add("block", 10_000);
  expect(credit.points).toBe(500);
  clock.advance(9 * HALF_HOUR);
  expect(credit.points).toBeGreaterThan(0.9);
  clock.advance(HALF_HOUR);
  expect(credit.points).toBe(0);
});
