import { transactionId } from "../../transactions/index.ts";
import type { IssueAssociationTransaction } from "../../transactions/types/issue-association.ts";
import type { RevokeAssociationTransaction } from "../../transactions/types/revoke-association.ts";
import { Deltas } from "../account.ts";
import { type Effect, effect } from "../effect.ts";
import type { Era } from "../era.ts";
import { genericError, type Refusal } from "../refusal.ts";
import { dataUnits, fixed, perItem, type Rule, SMALL_UNIT } from "../transaction-rule.ts";

/** Longest subject before Titanium. */
const OLD_MAX_SUBJECT = 64;

/** Issue association: state a relation to another account. Page 05 §15.9. */
export const issueAssociationRule: Rule<IssueAssociationTransaction> = {
  fees: {
    2: fixed(100_000_000n),
    3: fixed(100_000_000n),
    4: fixed(1_000_000n),
    5: perItem(500n, 100n, (tx) => dataUnits(tx.data, SMALL_UNIT)),
  },
  effect(_view, tx, era) {
    return associationEffect(tx, era, { revokes: false });
  },
};

/** Issues and revokes enter the same two lists; what they mean together is folded on reading (page 05 §19). */
export function associationEffect(
  tx: IssueAssociationTransaction | RevokeAssociationTransaction,
  era: Era,
  { revokes }: { readonly revokes: boolean },
): Effect | Refusal {
  if (!era.titanium && tx.subject !== undefined && tx.subject.length > OLD_MAX_SUBJECT) {
    return genericError(`Subject should contain <= ${OLD_MAX_SUBJECT} bytes`);
  }
  return effect(new Deltas().add(tx.senderAddress, 0n).add(tx.recipient, 0n), {
    kind: "association",
    sender: tx.senderAddress,
    id: transactionId(tx),
    terms: tx,
    revokes,
  });
}
