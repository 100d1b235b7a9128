/** All pages, each loaded on first use. */
import type { JSX } from "preact";
import { h } from "preact";
import type { PageContext, PageDefinition, Params } from "../page.ts";

/** A loaded page with its data type erased. */
export interface LoadedPage {
  readonly path: string;
  readonly refresh: PageDefinition<unknown>["refresh"];
  /** Title while loading. */
  title(params: Params): string;
  open(params: Params, query: URLSearchParams, context: PageContext): Promise<OpenPage>;
}

export interface OpenPage {
  readonly title: string;
  draw(): JSX.Element;
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
        draw: () => h(page.View, { params, query, data, context }),
      };
    },
  };
}

export interface PageEntry {
  /** Same path as in the page's definition; a test checks that. */
  readonly path: string;
  fetch(): Promise<LoadedPage>;
}

export const pages: readonly PageEntry[] = [
  { path: "", fetch: async () => toLoadedPage((await import("./overview.tsx")).overviewPage) },
  { path: "forgers", fetch: async () => toLoadedPage((await import("./forgers.tsx")).forgersPage) },
  { path: "node", fetch: async () => toLoadedPage((await import("./node.tsx")).nodePage) },
  { path: "accounts", fetch: async () => toLoadedPage((await import("./accounts.tsx")).accountsPage) },
  { path: "block/:id", fetch: async () => toLoadedPage((await import("./block.tsx")).blockPage) },
  {
    path: "transaction/:id",
    fetch: async () => toLoadedPage((await import("./transaction.tsx")).transactionPage),
  },
  { path: "anchor/:hash?", fetch: async () => toLoadedPage((await import("./anchor.tsx")).anchorPage) },
  { path: "address/:address", fetch: async () => toLoadedPage((await import("./address.tsx")).addressPage) },
  { path: "identity/:did", fetch: async () => toLoadedPage((await import("./identity.tsx")).identityPage) },
  { path: "trust", fetch: async () => toLoadedPage((await import("./trust.tsx")).trustPage) },
  { path: "search", fetch: async () => toLoadedPage((await import("./search.tsx")).searchPage) },
];
