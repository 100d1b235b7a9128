/** Balances over ranges of heights. Page 05 §21. */
import { int64 } from "../bytes/int64.ts";
import type { Account, AccountHistory, AccountPoint } from "./state.ts";

/** The lowest balance of this many heights is the generating balance. Page 05 §21.4. */
export const GENERATING_DEPTH = 1_000;

/** Returns the lowest height of a range; 0 and 1 confirmations both mean `height` itself. Page 05 §21.3. */
export function lowestHeight(height: number, confirmations: number): number {
  return Math.min(Math.max(height - confirmations + 1, 1), height);
}

/**
 * Yields changes, newest first, without points at which only leases changed. Page 05 §21.5.
 * @param points all points of an account, newest first
 */
export function* balanceChanges(
  points: Iterable<AccountPoint>,
): Generator<{ readonly height: number; readonly balance: bigint }> {
  let newer: AccountPoint | undefined;
  for (const point of points) {
    if (newer !== undefined && newer.account.balance !== point.account.balance)
      yield { height: newer.height, balance: newer.account.balance };
    newer = point;
  }
  if (newer !== undefined && newer.account.balance !== 0n)
    yield { height: newer.height, balance: newer.account.balance };
}

/** Returns the lowest regular balance of the last `confirmations` heights, units. Page 05 §21.3. */
export function balanceWithConfirmations(
  history: AccountHistory,
  address: Uint8Array,
  height: number,
  confirmations: number,
): bigint {
  return minimumOver(
    history,
    address,
    lowestHeight(height, confirmations),
    height,
    (account) => account.balance,
  );
}

/** Returns the lowest effective balance of the last `confirmations` heights, units. Page 05 §21.3. */
export function effectiveBalanceWithConfirmations(
  history: AccountHistory,
  address: Uint8Array,
  height: number,
  confirmations: number,
): bigint {
  return minimumOver(history, address, lowestHeight(height, confirmations), height, wrappingEffectiveBalance);
}

/** The history must include the block that the new one references. Page 05 §21.4. @param height height of the parent */
export function generatingBalance(history: AccountHistory, address: Uint8Array, height: number): bigint {
  return effectiveBalanceWithConfirmations(history, address, height, GENERATING_DEPTH);
}

/** Ignores the liquid block. Page 05 §21.1, §21.4. */
export function persistedGeneratingBalance(
  history: AccountHistory,
  address: Uint8Array,
  height: number,
  persistedHeight: number,
): bigint {
  const from = Math.min(lowestHeight(height, GENERATING_DEPTH), persistedHeight);
  return minimumOver(history, address, from, persistedHeight, wrappingEffectiveBalance);
}

/** Sums wrap at 64 bits, as in the reference. Page 05 §21.2. */
export function wrappingEffectiveBalance({ balance, leaseIn, leaseOut }: Account): bigint {
  return int64(balance + leaseIn - leaseOut);
}

/** Returns the lowest value at the ends of the heights in [from, to]; 0 before the first change. */
function minimumOver(
  history: AccountHistory,
  address: Uint8Array,
  from: number,
  to: number,
  value: (account: Account) => bigint,
): bigint {
  let lowest: bigint | undefined;
  for (const { height, account } of history.accountPoints(address, from, to)) {
    const amount = value(account);
    if (lowest === undefined || amount < lowest) lowest = amount;
    if (height <= from) return lowest;
  }
  return lowest === undefined || lowest > 0n ? 0n : lowest;
}
