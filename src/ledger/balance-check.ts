/** Page 05 §17. */
import { addressText } from "../crypto/addresses.ts";
import { applyDelta, type Deltas, effectiveBalance } from "./account.ts";
import { Refusal } from "./refusal.ts";
import type { Account, LedgerView } from "./state.ts";

/** Accounts in the order of `deltas.list`, or a refusal. Unbonding amounts are not subtracted. */
export function accountsAfter(view: LedgerView, deltas: Deltas): Account[] | Refusal {
  const { list } = deltas;
  // `push` would allocate room for 17.
  const accounts: Account[] = new Array(list.length);
  let faults: string[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const delta = list[i];
    const before = view.account(delta.address);
    const after = applyDelta(before, delta);
    accounts[i] = after;
    if (after.balance < 0n || effectiveBalance(after) < 0n || after.balance < after.leaseOut) {
      faults ??= [];
      faults.push(faultText(delta.address, before, after));
    }
  }
  return faults === undefined ? accounts : new Refusal("AccountBalanceError", faults);
}

function faultText(address: Uint8Array, before: Account, after: Account): string {
  const owner = addressText(address);
  if (after.balance < 0n)
    return `negative lto balance: ${owner}, old: ${before.balance}, new: ${after.balance}`;
  const change = `${owner}, old: ${portfolioText(before)}, new: ${portfolioText(after)}`;
  if (effectiveBalance(after) < 0n) return `negative effective balance: ${change}`;
  if (before.leaseOut === after.leaseOut) return `${owner} trying to spend leased money`;
  return `leased being more than own: ${change}`;
}

function portfolioText({ balance, leaseIn, leaseOut, unbonding }: Account): string {
  return `(${balance},LeaseBalance(${leaseIn},${leaseOut},${unbonding}))`;
}
