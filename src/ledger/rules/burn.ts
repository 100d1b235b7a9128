import type { BurnTransaction } from "../../transactions/types/burn.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { fixedFee, type TransactionRule } from "../transaction-rule.ts";

/** Burn: destroy tokens. Whether the sender has them is for the balance check to say. Page 05 §15.13. */
export const burnRule: TransactionRule<BurnTransaction> = {
  fees: { 4: fixedFee(1_000_000n), 5: fixedFee(1_000n) },
  effect(_view, tx) {
    return effect(new Deltas().add(tx.senderAddress, -tx.amount), undefined, tx.amount);
  },
};
