/** Amounts of an account, and how a transaction changes them. Page 05 §3, §7. */
import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { int64, safeSum } from "../bytes/int64.ts";
import type { Account } from "./state.ts";

/** Balance plus leases in (`safeSum`) minus leases out (wraps at 64 bits). */
export function effectiveBalance(account: Account): bigint {
  return int64(safeSum(account.balance, account.leaseIn) - account.leaseOut);
}

/** Amount that an account can pay as a sponsor. May be negative. Wraps at 64 bits. */
export function spendableBalance(account: Account): bigint {
  return int64(account.balance - account.leaseOut - account.unbonding);
}

interface Delta {
  readonly address: Uint8Array;
  balance: bigint;
  leaseIn: bigint;
  leaseOut: bigint;
  unbonding: bigint;
}

/** Returns the account plus a delta. A sum that overflows becomes INT64_MIN. */
export function applyDelta(account: Account, delta: Delta): Account {
  return {
    balance: safeSum(account.balance, delta.balance),
    leaseIn: delta.leaseIn === 0n ? account.leaseIn : safeSum(account.leaseIn, delta.leaseIn),
    leaseOut: delta.leaseOut === 0n ? account.leaseOut : safeSum(account.leaseOut, delta.leaseOut),
    unbonding: delta.unbonding === 0n ? account.unbonding : safeSum(account.unbonding, delta.unbonding),
  };
}

/** Up to this length, a list is faster than a map. */
const MAX_LIST_LENGTH = 8;

/**
 * A transaction's deltas by address, in order of first use. A zero delta only adds the transaction to the address's
 * list. Page 05 §7.
 */
export class Deltas {
  readonly list: Delta[] = [];
  #byAddress: Map<string, Delta> | undefined;

  /** Returns the delta of an address, at first zero. The caller may modify it. */
  of(address: Uint8Array): Delta {
    const found = this.#find(address);
    if (found !== undefined) return found;
    const delta: Delta = { address, balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n };
    this.list.push(delta);
    if (this.#byAddress !== undefined) this.#byAddress.set(bytesKey(address), delta);
    else if (this.list.length > MAX_LIST_LENGTH) {
      this.#byAddress = new Map();
      for (const listed of this.list) this.#byAddress.set(bytesKey(listed.address), listed);
    }
    return delta;
  }

  /** Adds to an address's balance delta (`safeSum`). */
  add(address: Uint8Array, amount: bigint): this {
    const delta = this.of(address);
    delta.balance = safeSum(delta.balance, amount);
    return this;
  }

  #find(address: Uint8Array): Delta | undefined {
    if (this.#byAddress !== undefined) return this.#byAddress.get(bytesKey(address));
    for (const delta of this.list) if (bytesEqual(delta.address, address)) return delta;
    return undefined;
  }
}
