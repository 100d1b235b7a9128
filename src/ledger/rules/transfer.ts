import { bytesEqual } from "../../bytes/compare.ts";
import type { PaymentTransaction } from "../../transactions/types/payment.ts";
import type { TransferTransaction } from "../../transactions/types/transfer.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";

/**
 * Tokens sent to a burn address are burned, at every height. Page 05 §15.2. Payments follow the rules of
 * transfer version 1. Page 05 §10.4.
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
