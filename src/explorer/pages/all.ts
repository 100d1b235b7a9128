/** The code of a page is loaded on first use. */
import type { PageDefinition } from "../page.ts";

export interface PageEntry {
  readonly path: string;
  fetch(): Promise<PageDefinition>;
}

const page = (path: string, fetch: () => Promise<PageDefinition>): PageEntry => ({ path, fetch });

export const pages: readonly PageEntry[] = [
  page("", async () => (await import("./overview.tsx")).overviewPage),
  page("blocks", async () => (await import("./lists/list-pages.tsx")).blocksPage),
  page("transactions", async () => (await import("./lists/list-pages.tsx")).transactionsPage),
  page("largest", async () => (await import("./lists/list-pages.tsx")).largestPage),
  page("richest", async () => (await import("./lists/list-pages.tsx")).richestPage),
  page("forgers", async () => (await import("./forgers.tsx")).forgersPage),
  page("node", async () => (await import("./node.tsx")).nodePage),
  page("accounts", async () => (await import("./accounts.tsx")).accountsPage),
  page("block/:id", async () => (await import("./block.tsx")).blockPage),
  page("transaction/:id", async () => (await import("./transaction.tsx")).transactionPage),
  page("anchor/:hash?", async () => (await import("./anchor.tsx")).anchorPage),
  page("address/:address", async () => (await import("./address.tsx")).addressPage),
  page("identity/:did", async () => (await import("./identity.tsx")).identityPage),
  page("credential", async () => (await import("./credential/page.tsx")).credentialPage),
  page("trust", async () => (await import("./trust.tsx")).trustPage),
  page("search", async () => (await import("./search.tsx")).searchPage),
];
