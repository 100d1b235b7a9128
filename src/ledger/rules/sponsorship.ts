import { addressText } from "../../crypto/addresses.ts";
import type { SponsorshipTransaction } from "../../transactions/types/sponsorship.ts";
import { Deltas } from "../account.ts";
import { effect } from "../effect.ts";
import { genericError } from "../refusal.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";

/** Makes the sender pay another account's fees. The newest sponsor that can pay does so. Page 05 §15.10. */
export const sponsorshipRule: TransactionRule<SponsorshipTransaction> = {
  fees: fixedFees({ 2: 500_000_000n, 3: 500_000_000n, 4: 10_000_000n, 5: 5_000n }),
  effect(view, tx) {
    if (view.isSponsor(tx.recipient, tx.senderAddress)) {
      return genericError(
        `${addressText(tx.recipient)} is already sponsored by ${addressText(tx.senderAddress)}`,
      );
    }
    return effect(new Deltas().add(tx.senderAddress, 0n).add(tx.recipient, 0n), {
      kind: "sponsor",
      address: tx.recipient,
      sponsor: tx.senderAddress,
      isAdded: true,
    });
  },
};
