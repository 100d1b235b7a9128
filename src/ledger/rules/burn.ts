import type { BurnTransaction } from "../../transactions/types/burn.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";

/** The balance check ensures that the sender has the tokens. Page 05 §15.13. */
export const burnRule: TransactionRule<BurnTransaction> = {
  fees: fixedFees({ 4: 1_000_000n, 5: 1_000n }),
  effect: (_view, tx) => effect(new Deltas().add(tx.senderAddress, -tx.amount), undefined, tx.amount),
};
