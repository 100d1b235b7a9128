import type { trustTexts as english } from "./texts.ts";

export const trustTexts = {
  title: "Vertrouwensnetwerk",
  lead: "Accounts kennen elkaar rollen toe, te beginnen bij de root. Wie de root vertrouwt, ziet hier welke accounts met welke rollen te vertrouwen zijn.",
  checkCredential: "Credential controleren",
  root: "Root: {address}",
  noRoot: "Deze node heeft geen vertrouwensroot.",
  noRootAdvice:
    "De root is het account waarmee de node verankert. De beheerder stelt hem in met {option}, of door een wallet in te stellen.",
  allRoles: "alle rollen",
  graphTitle: "Toegekende rollen",
  graph: "Accounts en de rollen die ze elkaar toekenden; de lijst eronder heeft dezelfde inhoud",
  roles: "Rollen",
  rootRole:
    "{address} is de root volgens de instellingen van de node; geen account heeft deze rol toegekend.",
  caption: "Accounts, hun rollen en wie die toekende",
  role: "Rol",
  grantedBy: "Toegekend door",
  identity: "Identiteit",
  identityLink: "sleutels en services",
  empty: "Er zijn geen rollen toegekend.",
  emptyRole: "Geen account heeft deze rol.",
} satisfies typeof english;
