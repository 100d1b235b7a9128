/** Balances over ranges of heights. Page 05 §21. */
import { int64 } from "../bytes/int64.ts";
import type { Account, AccountHistory, AccountPoint } from "./state.ts";

/** The generating balance is the lowest effective balance of this many heights. Page 05 §21.4. */
export const GENERATING_DEPTH = 1_000;

/** Lowest of the last `confirmations` heights up to `height`; for 0 or 1, `height` itself. Page 05 §21.3. */
export function lowestHeight(height: number, confirmations: number): number {
  return Math.min(Math.max(height - confirmations + 1, 1), height);
}

/**
 * Yields changes of the regular balance, newest first. Page 05 §21.5.
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

/** Lowest regular balance of the last `confirmations` heights, units. Page 05 §21.3. */
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

/** Lowest effective balance of the last `confirmations` heights, units. Page 05 §21.3. */
export function effectiveBalanceWithConfirmations(
  history: AccountHistory,
  address: Uint8Array,
  height: number,
  confirmations: number,
): bigint {
  return minimumOver(history, address, lowestHeight(height, confirmations), height, wrappingEffectiveBalance);
}

/** Generating balance for a child of the block at `height`. Page 05 §21.4. */
export function generatingBalance(history: AccountHistory, address: Uint8Array, height: number): bigint {
  return effectiveBalanceWithConfirmations(history, address, height, GENERATING_DEPTH);
}

/** Generating balance without the liquid block. Page 05 §21.1, §21.4. */
export function persistedGeneratingBalance(
  history: AccountHistory,
  address: Uint8Array,
  height: number,
  persistedHeight: number,
): bigint {
  const from = Math.min(lowestHeight(height, GENERATING_DEPTH), persistedHeight);
  return minimumOver(history, address, from, persistedHeight, wrappingEffectiveBalance);
}

/** Like `effectiveBalance`, but all sums wrap at 64 bits. Page 05 §21.2. */
export function wrappingEffectiveBalance({ balance, leaseIn, leaseOut }: Account): bigint {
  return int64(balance + leaseIn - leaseOut);
}

/** Returns the lowest `value` after the blocks in [from, to]; 0 before the first change. */
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
