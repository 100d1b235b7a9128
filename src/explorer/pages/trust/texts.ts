/** Texts of the page of the trust network. `{…}` is a slot for `fill`. */
export const trustTexts = {
  title: "Trust network",
  lead: "Accounts grant roles to each other, starting with the root. If you trust the root, you can follow from there whom to trust with what.",
  root: "Root: {address}",
  noRoot: "This node has no root of trust.",
  noRootAdvice:
    "The root is the account that anchors. The operator sets it with {option}, or gives the node a wallet.",
  allRoles: "all roles",
  graphTitle: "Grants",
  graph: "Accounts and the roles they granted to each other; the list below has the same content",
  roles: "Roles",
  rootRole: "{address} is the root by the node's settings; no account granted this role.",
  caption: "Accounts, their roles and who granted them",
  role: "Role",
  grantedBy: "Granted by",
  associationType: "Association type",
  identity: "Identity",
  identityLink: "keys and services",
  empty: "No roles granted.",
  emptyRole: "No account has this role.",
};
