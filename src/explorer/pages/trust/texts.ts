import { catalogue } from "../../text/catalogue.ts";
export const trustTexts = catalogue("trustTexts", {
  title: "Trust network",
  lead: "Accounts grant roles to each other, starting with the root. If you trust the root, its grants show which accounts to trust with which roles.",
  checkCredential: "Check a credential",
  root: "Root: {address}",
  noRoot: "This node has no root of trust.",
  noRootAdvice:
    "The root is the account that the node uses for anchoring. The operator sets it with {option}, or by configuring a wallet.",
  allRoles: "all roles",
  graphTitle: "Grants",
  graph: "Accounts and the roles they granted to each other; the list below has the same content",
  roles: "Roles",
  rootRole: "The node's settings define {address} as the root; no account granted this role.",
  caption: "Accounts, their roles and who granted them",
  role: "Role",
  grantedBy: "Granted by",
  identity: "Identity",
  identityLink: "keys and services",
  empty: "No roles granted.",
  emptyRole: "No account has this role.",
});
