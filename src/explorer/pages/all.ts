/** The code of a page is loaded on first use. */
import type { JSX } from "preact";
import { h } from "preact";
import type { PageContext, PageDefinition, Params } from "../page.ts";

export interface LoadedPage {
  readonly path: string;
  readonly refresh: PageDefinition<unknown>["refresh"];
  title(params: Params): string;
  open(params: Params, query: URLSearchParams, context: PageContext): Promise<OpenPage>;
}

export interface OpenPage {
  readonly title: string;
  render(): JSX.Element;
}

function toLoadedPage<Data>(page: PageDefinition<Data>): LoadedPage {
  return {
    path: page.path,
    refresh: page.refresh,
    title: (params) => page.title(params, undefined),
    async open(params, query, context) {
      const data = await page.load(params, query, context);
      return {
        title: page.title(params, data),
        render: () => h(page.View, { params, query, data, context }),
      };
    },
  };
}

export interface PageEntry {
  /** A test checks that the page defines the same path. */
  readonly path: string;
  fetch(): Promise<LoadedPage>;
}

const page = <Data>(path: string, fetch: () => Promise<PageDefinition<Data>>): PageEntry => ({
  path,
  fetch: async () => toLoadedPage(await fetch()),
});

export const pages: readonly PageEntry[] = [
  page("", async () => (await import("./overview.tsx")).overviewPage),
  page("forgers", async () => (await import("./forgers.tsx")).forgersPage),
  page("node", async () => (await import("./node.tsx")).nodePage),
  page("accounts", async () => (await import("./accounts.tsx")).accountsPage),
  page("block/:id", async () => (await import("./block.tsx")).blockPage),
  page("transaction/:id", async () => (await import("./transaction.tsx")).transactionPage),
  page("anchor/:hash?", async () => (await import("./anchor.tsx")).anchorPage),
  page("address/:address", async () => (await import("./address.tsx")).addressPage),
  page("identity/:did", async () => (await import("./identity.tsx")).identityPage),
  page("trust", async () => (await import("./trust.tsx")).trustPage),
  page("search", async () => (await import("./search.tsx")).searchPage),
];
