import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { BudgetTable, TokenBucket } from "./token-bucket.ts";

describe("a token bucket", () => {
  test("gives a burst at once, then a constant rate", () => {
    const clock = new VirtualClock(0);
    const bucket = new TokenBucket(clock, { perSecond: 2, burst: 3 });
    expect(bucket.take()).toBe(true);
    expect(bucket.take(2)).toBe(true);
    expect(bucket.take()).toBe(false);
    expect(bucket.isFull).toBe(false);
    clock.advance(499);
    expect(bucket.take()).toBe(false);
    clock.advance(1);
    expect(bucket.take()).toBe(true);
    expect(bucket.take()).toBe(false);
    clock.advance(3_600_000);
    expect(bucket.isFull).toBe(true);
    expect(bucket.take(4)).toBe(false);
    expect(bucket.take(3)).toBe(true);
    expect(bucket.take()).toBe(false);
  });

  test("returns the pause for a debt", () => {
    const clock = new VirtualClock(0);
    const bucket = new TokenBucket(clock, { perSecond: 1_000, burst: 500 });
    expect(bucket.charge(500)).toBe(0);
    expect(bucket.charge(250)).toBe(250);
    clock.advance(250);
    expect(bucket.charge(0)).toBe(0);
    expect(bucket.take()).toBe(false);
  });

  test.each([0, 1_000_000])("is not affected by setting the clock: %i", (time) => {
    const clock = new VirtualClock(10_000);
    const bucket = new TokenBucket(clock, { perSecond: 1, burst: 1 });
    bucket.take();
    clock.set(time);
    expect(bucket.take()).toBe(false);
    clock.advance(1_000);
    expect(bucket.take()).toBe(true);
  });

  test("never gives more than burst and rate allow", () => {
    const step = fc.tuple(fc.nat(3_000), fc.integer({ min: 1, max: 5 }));
    fc.assert(
      fc.property(
        fc.array(step),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 9 }),
        (steps, perSecond, burst) => {
          const clock = new VirtualClock(0);
          const bucket = new TokenBucket(clock, { perSecond, burst });
          let given = 0;
          for (const [ms, count] of steps) {
            clock.advance(ms);
            if (bucket.take(count)) given += count;
            expect(given).toBeLessThanOrEqual(burst + (clock.now() * perSecond) / 1_000 + 1e-6);
          }
        },
      ),
      { seed: 1, numRuns: 300 },
    );
  });
});

describe("a table of budgets", () => {
  test("drops only buckets without debts; above the capacity all keys share one", () => {
    const clock = new VirtualClock(0);
    const table = new BudgetTable(clock, { perSecond: 1, burst: 2 }, 2);
    expect(table.take("a", 2)).toBe(true);
    expect(table.take("b")).toBe(true);
    expect(table.size).toBe(2);
    // Both have debts: the third and the fourth share two tokens.
    expect(table.take("c")).toBe(true);
    expect(table.take("d")).toBe(true);
    expect(table.take("c")).toBe(false);
    expect(table.size).toBe(2);
    clock.advance(1_000);
    // "b" has its own budget again.
    expect(table.take("c", 2)).toBe(true);
    expect(table.size).toBe(2);
    expect(table.take("a", 2)).toBe(false);
    expect(table.take("a")).toBe(true);
    expect(table.charge("a", 1)).toBe(1_000);
  });
});
