import type { RevokeAssociationTransaction } from "../../transactions/types/revoke-association.ts";
import { isAssociated } from "../associations.ts";
import { genericError } from "../refusal.ts";
import { fixedFees, type TransactionRule } from "../transaction-rule.ts";
import { associationEffect } from "./issue-association.ts";

/** Only the REST interface requires that the association exists. Page 05 §15.9. */
export const revokeAssociationRule: TransactionRule<RevokeAssociationTransaction> = {
  fees: fixedFees({ 2: 100_000_000n, 3: 100_000_000n, 4: 1_000_000n, 5: 500n }),
  effect: (_view, tx, era) => associationEffect(tx, era, { revokes: true }),
  refuseRequest: (view, tx) =>
    isAssociated(view, tx.senderAddress, tx) ? undefined : genericError("The association doesn't exist"),
};
