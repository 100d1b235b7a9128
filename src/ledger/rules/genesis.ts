import type { GenesisTransaction } from "../../transactions/types/genesis.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { genericError } from "../refusal.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";

/** Only the first block may contain this type. Page 05 §15.1. */
export const genesisRule: TransactionRule<GenesisTransaction> = {
  fees: fixedFees({ 1: 0n, 2: 0n, 3: 0n, 4: 0n, 5: 0n }),
  effect(_view, tx, era) {
    if (era.height !== 1) return genericError("GenesisTransaction cannot appear in non-initial block");
    return effect(new Deltas().add(tx.recipient, tx.amount));
  },
};
