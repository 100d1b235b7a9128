import { describe, expect, test } from "vitest";
import { SeededRandom } from "../testing/seeded-random.ts";
import {
  baseTargetOf,
  expectedGapMs,
  expectedIntervalMs,
  forgingRate,
  MIN_GAP_MS,
  shortestDelaySeconds,
  steadyGapMs,
  steadyRate,
} from "./forging-gap.ts";
import { EXTRA_DELAY_MS, nextBaseTarget, rawDelay } from "./proof-of-stake.ts";

const STAKE = 100_000_000_000_000n;
const equal = (forgers: number): bigint[] => Array.from({ length: forgers }, () => STAKE);
const sum = (balances: readonly bigint[]): bigint => balances.reduce((total, balance) => total + balance, 0n);

class ForgedTimes {
  readonly #random = new SeededRandom(7);

  /** Returns the delays of all forgers for one block, earliest first. */
  delays(baseTarget: bigint, balances: readonly bigint[]): number[] {
    return balances
      .map((balance) => rawDelay((this.#random.below(2 ** 31) + 1) / 2 ** 31, baseTarget, balance))
      .sort((a, b) => a - b);
  }

  /** Forges a chain and returns its mean gap and mean interval once the base target has adapted, ms. */
  chain(averageBlockDelaySeconds: number, balances: readonly bigint[], blocks: number) {
    const times = [0];
    let baseTarget = 50_000n;
    let gaps = 0;
    const begin = blocks / 5;
    for (let height = 1; height < blocks; height++) {
      const [first, second] = this.delays(baseTarget, balances);
      const time = times[height - 1] + Math.ceil(first) + EXTRA_DELAY_MS;
      times.push(time);
      const before = times[height - 3];
      baseTarget = nextBaseTarget({
        averageBlockDelaySeconds,
        parentBaseTarget: baseTarget,
        timestamp: BigInt(time),
        greatGrandparentTimestamp: before === undefined ? undefined : BigInt(before),
      });
      if (height >= begin) gaps += second - first;
    }
    const count = blocks - begin;
    return { gap: gaps / count, interval: (times[blocks - 1] - times[begin - 1]) / count, baseTarget };
  }
}

const close = (value: number, expected: number, percent: number): void => {
  expect(Math.abs(value / expected - 1)).toBeLessThan(percent / 100);
};

describe("the gap between the two earliest forgers", () => {
  test.each([
    [100n, equal(2)],
    [1_500n, equal(3)],
    [60_000n, equal(5)],
    [1_000_000n, [STAKE, 3n * STAKE]],
    [900n, [STAKE, 20n * STAKE, STAKE / 5n]],
  ])("has the mean that sampled delays have: base target %d", (baseTarget, balances) => {
    const times = new ForgedTimes();
    const blocks = 40_000;
    let gaps = 0;
    let firsts = 0;
    for (let i = 0; i < blocks; i++) {
      const [first, second] = times.delays(baseTarget, balances);
      gaps += second - first;
      firsts += first + EXTRA_DELAY_MS;
    }
    const rate = forgingRate(baseTarget, sum(balances));
    close(gaps / blocks, expectedGapMs(rate, balances), 3);
    close(firsts / blocks, expectedIntervalMs(rate), 3);
  });

  test("is unlimited for a single forger", () => expect(expectedGapMs(1, [STAKE])).toBe(Infinity));

  test("does not jump where the computation changes its expansion", () =>
    close(expectedGapMs(1 - 1e-9, equal(3)), expectedGapMs(1 + 1e-9, equal(3)), 0.001));
});

describe("a base target that has adapted", () => {
  test.each([
    [13, equal(2)],
    [13, equal(5)],
    [20, [STAKE, 9n * STAKE]],
    [60, equal(3)],
  ])("keeps the gap and interval that the steady rate promises: %d s", (seconds, balances) => {
    const { gap, interval, baseTarget } = new ForgedTimes().chain(seconds, balances, 40_000);
    const rate = steadyRate(seconds) ?? Number.NaN;
    close(gap, steadyGapMs(seconds, balances), 5);
    close(interval, expectedIntervalMs(rate), 5);
    close(Number(baseTarget), Number(baseTargetOf(rate, sum(balances))), 40);
  });

  test("only rises with 12 s or less, because no interval is below half of that", () => {
    for (const seconds of [5, 6, 10, 12]) expect(steadyRate(seconds)).toBeUndefined();
    expect(steadyRate(13)).toBeDefined();
    const { gap, baseTarget } = new ForgedTimes().chain(6, equal(5), 20_000);
    expect(baseTarget).toBeGreaterThan(50_000n);
    expect(gap).toBeLessThan(MIN_GAP_MS);
  });

  test("needs at least 13 s for several forgers, whatever their stakes", () => {
    expect(shortestDelaySeconds(equal(1))).toBe(5);
    for (const balances of [equal(2), equal(3), equal(100), [1n, 10n ** 18n]])
      expect(shortestDelaySeconds(balances)).toBe(13);
    // With equal stakes the gap is shortest.
    expect(steadyGapMs(13, equal(100))).toBeGreaterThan(MIN_GAP_MS);
    expect(steadyGapMs(13, [STAKE, 9n * STAKE])).toBeGreaterThan(steadyGapMs(13, equal(2)));
  });

  test("is computed for every delay up to an hour", () => {
    for (const seconds of [14, 100, 600, 3_600]) {
      const gap = steadyGapMs(seconds, equal(5));
      expect(gap).toBeGreaterThan(MIN_GAP_MS);
      expect(gap).toBeLessThan(1_000 * seconds);
    }
  });
});
