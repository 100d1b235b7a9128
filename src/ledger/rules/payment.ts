import type { PaymentTransaction } from "../../transactions/types/payment.ts";
import type { TransactionRule } from "../transaction-rule.ts";
import { transferEffect, transferRule } from "./transfer.ts";

/** Payment: follows the rules of a transfer of version 1. Page 05 §10.4. */
export const paymentRule: TransactionRule<PaymentTransaction> = {
  // The fees of a transfer do not depend on the transaction.
  fees: transferRule.fees as TransactionRule<PaymentTransaction>["fees"],
  effect(_view, tx, era) {
    return transferEffect(tx.senderAddress, tx.recipient, tx.amount, era);
  },
  sends(tx) {
    return tx.amount;
  },
};
