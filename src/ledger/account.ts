/** The quantities of an account and what follows from them. Page 05 §3, §7. */
import { bytesEqual, bytesKey } from "../bytes/compare.ts";
import { int64, safeSum } from "../bytes/int64.ts";
import type { Account } from "./state.ts";

/** What an account can forge with: balance and leased in, without leased out; unbonding is not subtracted. Wraps. */
export function effectiveBalance(account: Account): bigint {
  return int64(safeSum(account.balance, account.leaseIn) - account.leaseOut);
}

/** What an account can pay a fee with as a sponsor ("available" in the REST interface); can be negative. Wraps. */
export function spendableBalance(account: Account): bigint {
  return int64(account.balance - account.leaseOut - account.unbonding);
}

/** A change of one account; each quantity a signed 64-bit integer. */
interface Delta {
  readonly address: Uint8Array;
  balance: bigint;
  leaseIn: bigint;
  leaseOut: bigint;
  unbonding: bigint;
}

/** The account after a change: field by field, INT64_MIN where a sum does not fit. */
export function applyDelta(account: Account, delta: Delta): Account {
  return {
    balance: safeSum(account.balance, delta.balance),
    leaseIn: delta.leaseIn === 0n ? account.leaseIn : safeSum(account.leaseIn, delta.leaseIn),
    leaseOut: delta.leaseOut === 0n ? account.leaseOut : safeSum(account.leaseOut, delta.leaseOut),
    unbonding: delta.unbonding === 0n ? account.unbonding : safeSum(account.unbonding, delta.unbonding),
  };
}

/** Up to here a walk over the list is cheaper than a map. */
const LIST_LIMIT = 8;

/**
 * Changes by address, in the order in which the addresses came up. An address with a change of zero counts: the
 * addresses are those in whose index a transaction appears. Page 05 §7.
 */
export class Deltas {
  readonly list: Delta[] = [];
  #byAddress: Map<string, Delta> | undefined;

  /** The change of an address, entered with zero when there is none yet. */
  of(address: Uint8Array): Delta {
    const found = this.#find(address);
    if (found !== undefined) return found;
    const delta: Delta = { address, balance: 0n, leaseIn: 0n, leaseOut: 0n, unbonding: 0n };
    this.list.push(delta);
    if (this.#byAddress !== undefined) this.#byAddress.set(bytesKey(address), delta);
    else if (this.list.length > LIST_LIMIT) {
      this.#byAddress = new Map();
      for (const known of this.list) this.#byAddress.set(bytesKey(known.address), known);
    }
    return delta;
  }

  /** Adds to the balance of an address. */
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
