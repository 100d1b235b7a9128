import { bytesEqual } from "../../bytes/compare.ts";
import { int64 } from "../../bytes/int64.ts";
import { transactionId } from "../../transactions/index.ts";
import type { LeaseTransaction } from "../../transactions/types/lease.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { genericError } from "../refusal.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";

/** Lends generating power. Unbonding funds can be leased, leased-in funds cannot. Page 05 §15.3. */
export const leaseRule: TransactionRule<LeaseTransaction> = {
  fees: fixedFees({ 1: 100_000n, 2: 100_000_000n, 3: 100_000_000n, 4: 1_000_000n, 5: 1_000n }),
  effect(view, tx, era) {
    // The static checks already refuse this (ToSelf).
    if (bytesEqual(tx.senderAddress, tx.recipient)) return genericError("Cannot lease to self");
    const { balance, leaseOut } = view.account(tx.senderAddress);
    if (int64(balance - leaseOut) < tx.amount) {
      return genericError(`Cannot lease more than own: Balance:${balance}, already leased: ${leaseOut}`);
    }
    const deltas = new Deltas();
    deltas.of(tx.senderAddress).leaseOut = tx.amount;
    deltas.of(tx.recipient).leaseIn = tx.amount;
    const lease = {
      senderKey: tx.sender.bytes,
      sender: tx.senderAddress,
      recipient: tx.recipient,
      amount: tx.amount,
      height: era.height,
      active: true,
    };
    return effect(deltas, { kind: "lease", id: transactionId(tx), lease });
  },
  stateJson: (state, tx) => ({ status: state.leases.isActive(transactionId(tx)) ? "active" : "canceled" }),
};
