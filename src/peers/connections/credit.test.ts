import { expect, test } from "vitest";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { Credit } from "./credit.ts";

const HALF_HOUR = 1_800_000;

test("credit adds up to a limit and decays to 0", () => {
  const clock = new VirtualClock(0);
  const credit = new Credit(clock);
  expect({ points: credit.points, since: credit.lastAddedAt }).toEqual({ points: 0, since: 0 });
  credit.add("transaction");
  credit.add("microBlock", 2);
  clock.advance(HALF_HOUR);
  expect({ points: credit.points, since: credit.lastAddedAt }).toEqual({ points: 5.5, since: 0 });
  credit.add("block");
  expect({ points: credit.points, since: credit.lastAddedAt }).toEqual({ points: 25.5, since: HALF_HOUR });
  credit.add("block", 10_000);
  expect(credit.points).toBe(500);
  clock.advance(9 * HALF_HOUR);
  expect(credit.points).toBeGreaterThan(0.9);
  clock.advance(HALF_HOUR);
  expect(credit.points).toBe(0);
});
