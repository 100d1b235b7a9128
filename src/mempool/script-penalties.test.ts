import { expect, test } from "vitest";
import { ScriptPenalties, SENDER_PENALTIES } from "./script-penalties.ts";

const MILLISECOND = 1_000_000;
const alice = "alice";
const bob = "bob";

test("an account whose script has refused much after much work waits, and no other", () => {
  let now = 0;
  const debts = new ScriptPenalties({ monotonic: () => now }, SENDER_PENALTIES);
  for (let i = 0; i < 5; i++) debts.add(alice, 4 * MILLISECOND);
  expect(debts.isThrottled(alice)).toBe(false);
  debts.add(alice, 4 * MILLISECOND);
  expect([debts.isThrottled(alice), debts.isThrottled(bob)]).toEqual([true, false]);
  // Forgiven are 4 ms in 4 s.
  now = 3_999;
  expect(debts.isThrottled(alice)).toBe(true);
  now = 4_000;
  expect(debts.isThrottled(alice)).toBe(false);
  debts.add(alice, MILLISECOND);
  expect(debts.isThrottled(alice)).toBe(true);
});

test("ordinary scripts are never owed: others could send what they refuse", () => {
  const debts = new ScriptPenalties({ monotonic: () => 0 }, SENDER_PENALTIES);
  for (let i = 0; i < 1_000; i++) debts.add(alice, MILLISECOND / 2);
  expect(debts.isThrottled(alice)).toBe(false);
});

test("only so many accounts are remembered", () => {
  const debts = new ScriptPenalties({ monotonic: () => 0 }, SENDER_PENALTIES);
  for (let i = 0; i <= 10_000; i++) debts.add(`account ${i}`, 21 * MILLISECOND);
  expect([0, 1, 10_000].map((i) => debts.isThrottled(`account ${i}`))).toEqual([false, true, true]);
});
