import { expect, test } from "vitest";
import { ScriptPenalties, SENDER_PENALTIES } from "./script-penalties.ts";

const MILLISECOND = 1_000_000;
const alice = "alice";
const bob = "bob";

test("throttles an account whose script refused costly transactions, and no other", () => {
  let now = 0;
  const penalties = new ScriptPenalties({ monotonic: () => now }, SENDER_PENALTIES);
  for (let i = 0; i < 5; i++) penalties.add(alice, 4 * MILLISECOND);
  expect(penalties.isThrottled(alice)).toBe(false);
  penalties.add(alice, 4 * MILLISECOND);
  expect(penalties.isThrottled(alice)).toBe(true);
  expect(penalties.isThrottled(bob)).toBe(false);
  // 4 ms decay in 4 s.
  now = 3_999;
  expect(penalties.isThrottled(alice)).toBe(true);
  now = 4_000;
  expect(penalties.isThrottled(alice)).toBe(false);
  penalties.add(alice, MILLISECOND);
  expect(penalties.isThrottled(alice)).toBe(true);
});

test("never penalises ordinary scripts: anyone could send what they refuse", () => {
  const penalties = new ScriptPenalties({ monotonic: () => 0 }, SENDER_PENALTIES);
  for (let i = 0; i < 1_000; i++) penalties.add(alice, MILLISECOND / 2);
  expect(penalties.isThrottled(alice)).toBe(false);
});

test("limits the number of accounts", () => {
  const penalties = new ScriptPenalties({ monotonic: () => 0 }, SENDER_PENALTIES);
  for (let i = 0; i <= 10_000; i++) penalties.add(`account ${i}`, 21 * MILLISECOND);
  expect([0, 1, 10_000].map((i) => penalties.isThrottled(`account ${i}`))).toEqual([false, true, true]);
});
