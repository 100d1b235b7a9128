/** Every transaction type's rule, by type. */
import type { Transaction } from "../transactions/index.ts";
import { anchorRule } from "./anchor.ts";
import { burnRule } from "./burn.ts";
import { cancelLeaseRule } from "./cancel-lease.ts";
import { cancelSponsorshipRule } from "./cancel-sponsorship.ts";
import { certificateRule } from "./certificate.ts";
import { dataRule } from "./data.ts";
import { genesisRule } from "./genesis.ts";
import { issueAssociationRule } from "./issue-association.ts";
import { leaseRule } from "./lease.ts";
import { mappedAnchorRule } from "./mapped-anchor.ts";
import { massTransferRule } from "./mass-transfer.ts";
import { paymentRule } from "./payment.ts";
import { registerRule } from "./register.ts";
import { revokeAssociationRule } from "./revoke-association.ts";
import type { Rule } from "./rule.ts";
import { setScriptRule } from "./set-script.ts";
import { sponsorshipRule } from "./sponsorship.ts";
import { statementRule } from "./statement.ts";
import { transferRule } from "./transfer.ts";

/** A rule for each type: leaving one out does not compile. */
const rules: { readonly [T in Transaction as T["type"]]: Rule<T> } = {
  1: genesisRule,
  2: paymentRule,
  4: transferRule,
  8: leaseRule,
  9: cancelLeaseRule,
  11: massTransferRule,
  12: dataRule,
  13: setScriptRule,
  15: anchorRule,
  16: issueAssociationRule,
  17: revokeAssociationRule,
  18: sponsorshipRule,
  19: cancelSponsorshipRule,
  20: registerRule,
  21: burnRule,
  22: mappedAnchorRule,
  23: statementRule,
  24: certificateRule,
};

/** The rule of a transaction. */
export function ruleOf<T extends Transaction>(transaction: T): Rule<T> {
  // The table pairs each type number with the rule of that type; the compiler cannot follow the pairing.
  return rules[transaction.type] as unknown as Rule<T>;
}
