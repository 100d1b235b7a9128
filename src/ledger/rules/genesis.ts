import type { GenesisTransaction } from "../../transactions/types/genesis.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { genericError } from "../refusal.ts";
import { fixed, type Rule } from "../transaction-rule.ts";

/** Genesis: an initial balance, only in the first block. Page 05 §15.1. */
export const genesisRule: Rule<GenesisTransaction> = {
  fees: { 1: fixed(0n), 2: fixed(0n), 3: fixed(0n), 4: fixed(0n), 5: fixed(0n) },
  effect(_view, tx, era) {
    if (era.height !== 1) return genericError("GenesisTransaction cannot appear in non-initial block");
    return effect(new Deltas().add(tx.recipient, tx.amount));
  },
};
