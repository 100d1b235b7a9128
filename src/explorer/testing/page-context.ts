import { type Signal, signal } from "@preact/signals";
import type { JSX } from "preact";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { type PageFetch, RemoteNodeApi } from "../data/node-api.ts";
import { browserClock } from "../data/platform.ts";
import type { Connection, LiveTransaction, PageContext, PageDefinition, RecentBlock, Tip } from "../page.ts";

const NODE_URL = "http://node.example/";

/** Live data that the test sets. */
export interface TestLive {
  readonly tip: Signal<Tip | undefined>;
  readonly connection: Signal<Connection>;
  readonly blocks: Signal<readonly RecentBlock[]>;
  readonly transactions: Signal<readonly LiveTransaction[]>;
  readonly missed: Signal<number>;
}

export function testLive(): TestLive {
  return {
    tip: signal<Tip | undefined>(undefined),
    connection: signal<Connection>({ state: "live" }),
    blocks: signal<readonly RecentBlock[]>([]),
    transactions: signal<readonly LiveTransaction[]>([]),
    missed: signal(0),
  };
}

/** Creates the context of a page, with the network already loaded. */
export async function testContext(fetch: PageFetch): Promise<PageContext & { readonly live: TestLive }> {
  const node = new RemoteNodeApi({
    location: { url: NODE_URL, servesPage: true },
    fetch,
    clock: browserClock,
  });
  await node.loadNetwork();
  return { node, live: testLive(), signal: new AbortController().signal };
}

/** Loads a page and renders it as HTML. */
export async function renderPage<Data>(
  page: PageDefinition<Data>,
  params: Readonly<Record<string, string>>,
  context: PageContext,
  query = new URLSearchParams(),
): Promise<{ readonly data: Data; readonly html: string; readonly text: string }> {
  const data = await page.load(params, query, context);
  // Safe cast: a view is a function component.
  const view = page.View as (props: object) => JSX.Element;
  const html = renderToString(h(view, { params, query, data, context }));
  return { data, html, text: textOf(html) };
}

/** Returns the visible text of HTML with single spaces. */
export function textOf(html: string): string {
  const plain = html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&" };
  return plain.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => named[name]);
}
