import type { SetScriptTransaction } from "../../transactions/types/set-script.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { fixedFee, type TransactionRule } from "../transaction-rule.ts";

/** Set script: replace or remove the sender's script. The old script has judged this transaction. Page 05 §15.7. */
export const setScriptRule: TransactionRule<SetScriptTransaction> = {
  fees: {
    1: fixedFee(100_000n),
    2: fixedFee(100_000_000n),
    3: fixedFee(100_000_000n),
    4: fixedFee(10_000_000n),
    5: fixedFee(5_000n),
  },
  effect(_view, tx) {
    return effect(new Deltas().add(tx.senderAddress, 0n), {
      kind: "script",
      address: tx.senderAddress,
      script: tx.script,
    });
  },
};
