import { bytesEqual } from "../../bytes/compare.ts";
import type { PaymentTransaction } from "../../transactions/types/payment.ts";
import type { TransferTransaction } from "../../transactions/types/transfer.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";

/**
 * Burns tokens that are sent to a burn address, at every height (page 05 §15.2). Payments follow the rules of transfer
 * version 1 (page 05 §10.4).
 */
export const transferRule: TransactionRule<TransferTransaction | PaymentTransaction> = {
  fees: fixedFees({ 1: 100_000n, 2: 100_000_000n, 3: 100_000_000n, 4: 1_000_000n, 5: 1_000n }),
  effect(_view, { senderAddress, recipient, amount }, era) {
    const deltas = new Deltas().add(senderAddress, -amount);
    const { burnAddresses } = era.rules.functionality;
    if (burnAddresses.some((address) => bytesEqual(address, recipient)))
      return effect(deltas, undefined, amount);
    return effect(deltas.add(recipient, amount));
  },
  sentAmount: ({ amount }) => amount,
};
