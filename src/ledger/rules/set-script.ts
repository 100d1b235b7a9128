import type { SetScriptTransaction } from "../../transactions/types/set-script.ts";
import { senderEffect } from "../effect.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";

/** The old script must allow the transaction. Page 05 §15.7. */
export const setScriptRule: TransactionRule<SetScriptTransaction> = {
  fees: fixedFees({ 1: 100_000n, 2: 100_000_000n, 3: 100_000_000n, 4: 10_000_000n, 5: 5_000n }),
  effect: (_view, tx) =>
    senderEffect(tx.senderAddress, {
      kind: "script",
      address: tx.senderAddress,
      script: tx.script,
    }),
  newScript: ({ script }) => ({ script }),
};
