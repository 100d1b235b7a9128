import type { Transaction } from "../transactions/index.ts";
import { anchorRule } from "./rules/anchor.ts";
import { burnRule } from "./rules/burn.ts";
import { cancelLeaseRule } from "./rules/cancel-lease.ts";
import { cancelSponsorshipRule } from "./rules/cancel-sponsorship.ts";
import { certificateRule } from "./rules/certificate.ts";
import { dataRule } from "./rules/data.ts";
import { genesisRule } from "./rules/genesis.ts";
import { issueAssociationRule } from "./rules/issue-association.ts";
import { leaseRule } from "./rules/lease.ts";
import { mappedAnchorRule } from "./rules/mapped-anchor.ts";
import { massTransferRule } from "./rules/mass-transfer.ts";
import { registerRule } from "./rules/register.ts";
import { revokeAssociationRule } from "./rules/revoke-association.ts";
import { setScriptRule } from "./rules/set-script.ts";
import { sponsorshipRule } from "./rules/sponsorship.ts";
import { statementRule } from "./rules/statement.ts";
import { transferRule } from "./rules/transfer.ts";
import type { TransactionRule } from "./transaction-rule.ts";

const rules: { readonly [T in Transaction as T["type"]]: TransactionRule<T> } = {
  1: genesisRule,
  2: transferRule,
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

export function ruleOf<T extends Transaction>(transaction: T): TransactionRule<T> {
  // The compiler cannot infer that the rule has the transaction's type.
  return rules[transaction.type] as unknown as TransactionRule<T>;
}
