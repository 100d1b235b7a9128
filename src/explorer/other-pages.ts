/** Pages that the first view does not need. */
export { accountsPage } from "./pages/accounts.tsx";
export { anchorPage } from "./pages/anchor.tsx";
export { comparePage } from "./pages/compare/page.tsx";
export { credentialPage } from "./pages/credential/page.tsx";
export { forgersPage } from "./pages/forgers/page.tsx";
export { identityPage } from "./pages/identity.tsx";
export { reorganisationsPage } from "./pages/node/reorganisations.tsx";
export { nodePage } from "./pages/node.tsx";
export { chartsPage } from "./pages/overview/charts.tsx";
export { searchPage } from "./pages/search.tsx";
export { trustPage } from "./pages/trust.tsx";
