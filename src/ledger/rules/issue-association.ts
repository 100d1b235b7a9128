import { transactionId } from "../../transactions/index.ts";
import type { IssueAssociationTransaction } from "../../transactions/types/issue-association.ts";
import type { RevokeAssociationTransaction } from "../../transactions/types/revoke-association.ts";
import { Deltas } from "../account.ts";
import { type Effect, effect } from "../effect.ts";
import type { Era } from "../era.ts";
import { genericError, type Refusal } from "../refusal.ts";
import { dataUnits, fixedFee, perItemFee, SMALL_UNIT, type TransactionRule } from "../transaction-rule.ts";

/** In bytes. */
const MAX_SUBJECT_BEFORE_TITANIUM = 64;

/** States a relation to another account. Page 05 §15.9. */
export const issueAssociationRule: TransactionRule<IssueAssociationTransaction> = {
  fees: {
    2: fixedFee(100_000_000n),
    3: fixedFee(100_000_000n),
    4: fixedFee(1_000_000n),
    5: perItemFee(500n, 100n, (tx) => dataUnits(tx.data, SMALL_UNIT)),
  },
  effect: (_view, tx, era) => associationEffect(tx, era, { revokes: false }),
};

/** The effect of an issue or a revocation. Page 05 §19. */
export function associationEffect(
  tx: IssueAssociationTransaction | RevokeAssociationTransaction,
  era: Era,
  { revokes }: { readonly revokes: boolean },
): Effect | Refusal {
  if (!era.titanium && tx.subject !== undefined && tx.subject.length > MAX_SUBJECT_BEFORE_TITANIUM) {
    return genericError(`Subject should contain <= ${MAX_SUBJECT_BEFORE_TITANIUM} bytes`);
  }
  return effect(new Deltas().add(tx.senderAddress, 0n).add(tx.recipient, 0n), {
    kind: "association",
    sender: tx.senderAddress,
    id: transactionId(tx),
    terms: tx,
    revokes,
  });
}
