import { bytesEqual } from "../../bytes/compare.ts";
import type { TransferTransaction } from "../../transactions/types/transfer.ts";
import { Deltas } from "../account.ts";
import { type Effect, effect } from "../effect.ts";
import type { Era } from "../era.ts";
import { fixedFee, type TransactionRule } from "../transaction-rule.ts";

/** Transfer: move tokens; what goes to a burn address is destroyed, at every height. Page 05 §15.2. */
export const transferRule: TransactionRule<TransferTransaction> = {
  fees: {
    1: fixedFee(100_000n),
    2: fixedFee(100_000_000n),
    3: fixedFee(100_000_000n),
    4: fixedFee(1_000_000n),
    5: fixedFee(1_000n),
  },
  effect(_view, tx, era) {
    return transferEffect(tx.senderAddress, tx.recipient, tx.amount, era);
  },
  sends(tx) {
    return tx.amount;
  },
};

/** The effect of handing an amount from one account to another. Page 05 §15.2. */
export function transferEffect(sender: Uint8Array, recipient: Uint8Array, amount: bigint, era: Era): Effect {
  const deltas = new Deltas().add(sender, -amount);
  for (const burnAddress of era.rules.functionality.burnAddresses) {
    if (bytesEqual(recipient, burnAddress)) return effect(deltas, undefined, amount);
  }
  return effect(deltas.add(recipient, amount));
}
