import type { RevokeAssociationTransaction } from "../../transactions/types/revoke-association.ts";
import { isAssociated } from "../associations.ts";
import { genericError } from "../refusal.ts";
import { fixedFee, type TransactionRule } from "../transaction-rule.ts";
import { associationEffect } from "./issue-association.ts";

/** Revoke association: also of one that does not exist; only the REST interface refuses that. Page 05 §15.9. */
export const revokeAssociationRule: TransactionRule<RevokeAssociationTransaction> = {
  fees: { 2: fixedFee(100_000_000n), 3: fixedFee(100_000_000n), 4: fixedFee(1_000_000n), 5: fixedFee(500n) },
  effect(_view, tx, era) {
    return associationEffect(tx, era, { revokes: true });
  },
  refuseRequest(view, tx) {
    return isAssociated(view, tx.senderAddress, tx)
      ? undefined
      : genericError("The association doesn't exist");
  },
};
