import { expect, test } from "vitest";
import { SeededRandom } from "../testing/seeded-random.ts";
import { pickRandom, randomBelow, sample } from "./random-choice.ts";

test("chooses all numbers and items equally often", () => {
  const random = new SeededRandom(1);
  const counts = [0, 0, 0, 0, 0];
  for (let i = 0; i < 5_000; i++) counts[randomBelow(random, 5)]++;
  for (let i = 0; i < 5_000; i++) counts[pickRandom(random, [0, 1, 2, 3, 4]) ?? 0]++;
  for (let i = 0; i < 5_000; i++) for (const item of sample(random, [0, 1, 2, 3, 4], 2)) counts[item]++;
  for (const count of counts) expect(Math.abs(count - 4_000)).toBeLessThan(250);
});

test("chooses nothing from nothing, and no more than there is", () => {
  const random = new SeededRandom(1);
  expect(pickRandom(random, [])).toBeUndefined();
  expect(sample(random, [1, 2, 3], 5).sort()).toEqual([1, 2, 3]);
  expect(sample(random, [1, 2, 3], 0)).toEqual([]);
});
