import type { PaymentTransaction } from "../../transactions/types/payment.ts";
import type { Rule } from "../transaction-rule.ts";
import { movement, transferRule } from "./transfer.ts";

/** Payment: follows the rules of a transfer of version 1. Page 05 §10.4. */
export const paymentRule: Rule<PaymentTransaction> = {
  // The fees of a transfer do not depend on the transaction.
  fees: transferRule.fees as Rule<PaymentTransaction>["fees"],
  effect(_view, tx, era) {
    return movement(tx.senderAddress, tx.recipient, tx.amount, era);
  },
  sends(tx) {
    return tx.amount;
  },
};
