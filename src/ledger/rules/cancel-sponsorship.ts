import { addressText } from "../../crypto/addresses.ts";
import type { CancelSponsorshipTransaction } from "../../transactions/types/cancel-sponsorship.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { genericError } from "../refusal.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";

/** The transaction is not listed for any address. Page 05 §15.11. */
export const cancelSponsorshipRule: TransactionRule<CancelSponsorshipTransaction> = {
  fees: fixedFees({ 2: 500_000_000n, 3: 500_000_000n, 4: 10_000_000n, 5: 1_000n }),
  effect(view, tx) {
    if (!view.isSponsor(tx.recipient, tx.senderAddress)) {
      return genericError(
        `${addressText(tx.recipient)} is not sponsored by ${addressText(tx.senderAddress)}`,
      );
    }
    return effect(new Deltas(), {
      kind: "sponsor",
      address: tx.recipient,
      sponsor: tx.senderAddress,
      isAdded: false,
    });
  },
};
