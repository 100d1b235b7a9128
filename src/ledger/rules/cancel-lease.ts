import { bytesEqual } from "../../bytes/compare.ts";
import { transactionJson } from "../../transactions/index.ts";
import type { CancelLeaseTransaction } from "../../transactions/types/cancel-lease.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { genericError } from "../refusal.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";

/** Since Juicy, the amount is unbonding for a period. Page 05 §15.5. */
export const cancelLeaseRule: TransactionRule<CancelLeaseTransaction> = {
  fees: fixedFees({ 1: 100_000n, 2: 100_000_000n, 3: 100_000_000n, 4: 1_000_000n, 5: 1_000n }),
  effect(view, tx, era) {
    const lease = view.lease(tx.leaseId);
    if (lease === undefined) return genericError("Related LeaseTransaction not found");
    if (!lease.active) return genericError("Cannot cancel already cancelled lease");
    // The protocol compares the keys' bytes, not their types.
    if (!bytesEqual(tx.sender.bytes, lease.senderKey)) {
      return genericError("LeaseTransaction was leased by other sender");
    }
    const deltas = new Deltas();
    const lender = deltas.of(tx.senderAddress);
    lender.leaseOut = -lease.amount;
    if (era.juicy) lender.unbonding = lease.amount;
    deltas.of(lease.recipient).leaseIn = -lease.amount;
    return effect(deltas, { kind: "lease", id: tx.leaseId, lease: { ...lease, active: false } });
  },
  refuseRequest: (view, tx) =>
    view.lease(tx.leaseId)?.active === true ? undefined : genericError("The lease is not active"),
  stateJson(state, tx) {
    const lease = state.transactions.byId(tx.leaseId);
    return { lease: lease === undefined ? null : transactionJson(lease.transaction) };
  },
};
