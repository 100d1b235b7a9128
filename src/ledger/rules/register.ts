import type { RegisterTransaction } from "../../transactions/types/register.ts";
import { senderEffect } from "../effect.ts";
import { genericError } from "../refusal.ts";
import { perItemFee, type TransactionRule } from "../transaction-rule.ts";

/** The index stores the keys, the state does not. Page 05 §15.12. */
export const registerRule: TransactionRule<RegisterTransaction> = {
  fees: {
    4: perItemFee(1_000_000n, 100_000n, (tx) => tx.accounts.length),
    5: perItemFee(250n, 100n, (tx) => tx.accounts.length),
  },
  effect(_view, tx, era) {
    if (!era.palladium && tx.accounts.some((account) => account.keyType === "bls12-381")) {
      return genericError("Invalid key type found in accounts");
    }
    return senderEffect(tx.senderAddress);
  },
};
