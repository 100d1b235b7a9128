import type { PageDefinition } from "../page.ts";
import { addressPage } from "./address.tsx";
import { blockPage } from "./block.tsx";
import { blocksPage, largestPage, richestPage, transactionsPage } from "./lists/list-pages.tsx";
import { overviewPage } from "./overview.tsx";
import { transactionPage } from "./transaction.tsx";

export interface PageEntry {
  /** Relative to the base, such as `block/:id`. A final `?` makes the last segment optional: `anchor/:hash?`. */
  readonly path: string;
  fetch(): Promise<PageDefinition>;
}

type OtherPages = typeof import("../other-pages.ts");

const fetchOtherPages = (): Promise<OtherPages> => import("../other-pages.ts");

const bundled = (path: string, page: PageDefinition): PageEntry => ({ path, fetch: async () => page });

const lazy = (path: string, name: keyof OtherPages): PageEntry => ({
  path,
  fetch: async () => (await fetchOtherPages())[name],
});

export const pages: readonly PageEntry[] = [
  bundled("", overviewPage),
  bundled("blocks", blocksPage),
  bundled("transactions", transactionsPage),
  bundled("largest", largestPage),
  bundled("richest", richestPage),
  bundled("block/:id", blockPage),
  bundled("transaction/:id", transactionPage),
  bundled("address/:address", addressPage),
  lazy("charts", "chartsPage"),
  lazy("forgers/:forger?", "forgersPage"),
  lazy("node", "nodePage"),
  lazy("reorganisations", "reorganisationsPage"),
  lazy("accounts", "accountsPage"),
  lazy("compare", "comparePage"),
  lazy("anchor/:hash?", "anchorPage"),
  lazy("identity/:did", "identityPage"),
  lazy("credential", "credentialPage"),
  lazy("trust", "trustPage"),
  lazy("search", "searchPage"),
];

export function loadOtherPagesWhenIdle(): void {
  // A failure is reported when the page is opened.
  globalThis.requestIdleCallback?.(() => void fetchOtherPages().catch(() => {}));
}
