import { expect, test } from "vitest";
import { DEBTS_OF_SENDER, ScriptDebts } from "./script-debts.ts";

const MILLISECOND = 1_000_000;
const alice = "alice";
const bob = "bob";

test("an account whose script has refused much after much work waits, and no other", () => {
  let now = 0;
  const debts = new ScriptDebts({ monotonic: () => now }, DEBTS_OF_SENDER);
  for (let i = 0; i < 5; i++) debts.add(alice, 4 * MILLISECOND);
  expect(debts.isWaiting(alice)).toBe(false);
  debts.add(alice, 4 * MILLISECOND);
  expect([debts.isWaiting(alice), debts.isWaiting(bob)]).toEqual([true, false]);
  // Forgiven are 4 ms in 4 s.
  now = 3_999;
  expect(debts.isWaiting(alice)).toBe(true);
  now = 4_000;
  expect(debts.isWaiting(alice)).toBe(false);
  debts.add(alice, MILLISECOND);
  expect(debts.isWaiting(alice)).toBe(true);
});

test("ordinary scripts are never owed: others could send what they refuse", () => {
  const debts = new ScriptDebts({ monotonic: () => 0 }, DEBTS_OF_SENDER);
  for (let i = 0; i < 1_000; i++) debts.add(alice, MILLISECOND / 2);
  expect(debts.isWaiting(alice)).toBe(false);
});

test("only so many accounts are remembered", () => {
  const debts = new ScriptDebts({ monotonic: () => 0 }, DEBTS_OF_SENDER);
  for (let i = 0; i <= 10_000; i++) debts.add(`account ${i}`, 21 * MILLISECOND);
  expect([0, 1, 10_000].map((i) => debts.isWaiting(`account ${i}`))).toEqual([false, true, true]);
});
