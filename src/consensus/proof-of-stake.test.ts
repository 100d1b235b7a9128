import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { log } from "./log.ts";
import {
  blockScore,
  earliestTimestamp,
  estimateHeight,
  fairDelay,
  hitRatio,
  hitSourceHeight,
  minimumBalance,
  minimumGeneratingBalance,
} from "./proof-of-stake.ts";

describe("log", () => {
  test("equals fdlibm, as in V8", () => {
    const bits = new DataView(new ArrayBuffer(8));
    fc.assert(
      fc.property(fc.bigInt(0n, 2n ** 63n - 1n), (pattern) => {
        bits.setBigInt64(0, pattern);
        const x = bits.getFloat64(0);
        expect(log(x)).toBe(Math.log(x));
      }),
      { seed: 1, numRuns: 20_000 },
    );
    fc.assert(
      fc.property(fc.double({ min: 0, max: 4, noNaN: true }), (x) => {
        expect(log(x)).toBe(Math.log(x));
      }),
      { seed: 2, numRuns: 20_000 },
    );
  });

  test.each([
    [0, Number.NEGATIVE_INFINITY],
    [-0, Number.NEGATIVE_INFINITY],
    [-1, Number.NaN],
    [Number.NaN, Number.NaN],
    [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY],
    [1, 0],
    [2, Math.LN2],
    [0.5, -Math.LN2],
  ])("of %d is %d", (x, expected) => expect(log(x)).toBe(expected));
});

describe("the height of a score", () => {
  const tip = { height: 100, score: 1_600n, baseTarget: 2n ** 60n };
  test.each([
    [1_600n, 100],
    [1_601n, 101],
    [1_616n, 101],
    [1_617n, 102],
    [1_599n, 100],
    [1_584n, 99],
    [0n, 0],
    [2n ** 200n, 2 ** 31 - 1],
  ])("of %s is %d", (score, height) => expect(estimateHeight(score, tip)).toBe(height));
});

describe("delay", () => {
  test("is at least 5 s, and falls as balance or base target grows", () => {
    fc.assert(
      fc.property(
        fc.bigInt(1n, 2n ** 64n - 2n),
        fc.bigInt(1n, 10n ** 9n),
        fc.bigInt(10n ** 11n, 10n ** 17n),
        (value, baseTarget, balance) => {
          const delay = fairDelay(value, baseTarget, balance);
          expect(delay).toBeGreaterThanOrEqual(5_000n);
          expect(fairDelay(value, baseTarget, balance * 2n)).toBeLessThanOrEqual(delay);
          expect(fairDelay(value, baseTarget * 2n, balance)).toBeLessThanOrEqual(delay);
        },
      ),
      { seed: 1, numRuns: 500 },
    );
  });

  test("of a hit of 0 is the largest number, whose sum with a timestamp wraps", () => {
    const delay = fairDelay(0n, 100n, 10n ** 12n);
    expect(delay).toBe(2n ** 63n - 1n);
    expect(earliestTimestamp(1n, delay)).toBe(-(2n ** 63n));
  });

  test("of nothing is 0: NaN", () => expect(fairDelay(2n ** 64n - 1n, 0n, 0n)).toBe(0n));

  test("ratio is the quotient", () => {
    expect(hitRatio(0n)).toBe(0);
    expect(hitRatio(2n ** 64n - 1n)).toBe(1);
    expect(hitRatio(1n)).toBe(2 ** -64);
    fc.assert(
      fc.property(fc.bigInt(1n, 2n ** 64n - 1n), (value) => {
        expect(hitRatio(value)).toBeCloseTo(Number(value) / 2 ** 64, 14);
      }),
      { seed: 1 },
    );
  });
});

describe("heights and balances", () => {
  test.each([
    [1, 1],
    [100, 100],
    [101, 1],
    [1_000, 900],
  ])("hit of the child of %i comes from %i", (parent, source) => {
    expect(hitSourceHeight(parent)).toBe(source);
  });

  test("the minimum balance reads no further back than needed", () => {
    function* changes() {
      yield { height: 9, balance: 1n };
      yield { height: 5, balance: 7n };
      yield { height: 3, balance: 9n };
      throw new Error("read too far");
    }
    expect(minimumBalance(changes(), 3, 8)).toBe(7n);
    expect(minimumBalance(changes(), 4, 4)).toBe(9n);
    expect(minimumBalance([], 1, 5)).toBe(0n);
    expect(minimumBalance([{ height: 4, balance: 5n }], 3, 5)).toBe(0n);
  });

  test("a base target that is not positive has no score", () => {
    expect(() => blockScore(0n)).toThrow(RangeError);
    expect(() => blockScore(-1n)).toThrow(RangeError);
  });

  test("minimum", () => {
    expect(minimumGeneratingBalance(true)).toBe(1_000n * 10n ** 8n);
    expect(minimumGeneratingBalance(false)).toBe(10_000n * 10n ** 8n);
  });
});
