import type { PageDefinition } from "../page.ts";
import { addressPage } from "./address.tsx";
import { blockPage } from "./block.tsx";
import { blocksPage, largestPage, richestPage, transactionsPage } from "./lists/list-pages.tsx";
import { overviewPage } from "./overview.tsx";
import { transactionPage } from "./transaction.tsx";

export interface PageEntry {
  readonly path: string;
  fetch(): Promise<PageDefinition>;
}

type OtherPages = typeof import("../other-pages.ts");

const fetchOtherPages = (): Promise<OtherPages> => import("../other-pages.ts");

const first = (page: PageDefinition): PageEntry => ({ path: page.path, fetch: async () => page });

const other = (path: string, name: keyof OtherPages): PageEntry => ({
  path,
  fetch: async () => (await fetchOtherPages())[name],
});

export const pages: readonly PageEntry[] = [
  ...[overviewPage, blocksPage, transactionsPage, largestPage, richestPage].map(first),
  ...[blockPage, transactionPage, addressPage].map(first),
  other("forgers", "forgersPage"),
  other("node", "nodePage"),
  other("accounts", "accountsPage"),
  other("anchor/:hash?", "anchorPage"),
  other("identity/:did", "identityPage"),
  other("credential", "credentialPage"),
  other("trust", "trustPage"),
  other("search", "searchPage"),
];

export function loadOtherPagesWhenIdle(): void {
  // A failure is reported when the page is opened.
  globalThis.requestIdleCallback?.(() => void fetchOtherPages().catch(() => {}));
}
