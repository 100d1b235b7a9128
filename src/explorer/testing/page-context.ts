import { type Signal, signal } from "@preact/signals";
import { h } from "preact";
import { renderToString } from "preact-render-to-string";
import { type PageFetch, RemoteNodeApi } from "../data/node-api.ts";
import { browserClock } from "../data/platform.ts";
import { Queries } from "../data/queries.ts";
import type {
  Connection,
  LiveTransaction,
  NodeApi,
  PageContext,
  PageDefinition,
  RecentBlock,
  Tip,
} from "../page.ts";

/** Parts that depend on other parts load after them. */
const MAX_ROUNDS = 10;
const NODE_URL = "http://node.example/";

/** Live data that the test sets. */
export interface TestLive {
  readonly tip: Signal<Tip | undefined>;
  readonly connection: Signal<Connection>;
  readonly blocks: Signal<readonly RecentBlock[]>;
  readonly transactions: Signal<readonly LiveTransaction[]>;
  readonly missed: Signal<number>;
  readonly heardAtMs: Signal<number | undefined>;
}

export function testLive(): TestLive {
  return {
    tip: signal<Tip | undefined>(undefined),
    connection: signal<Connection>({ state: "live" }),
    blocks: signal<readonly RecentBlock[]>([]),
    transactions: signal<readonly LiveTransaction[]>([]),
    missed: signal(0),
    heardAtMs: signal<number | undefined>(undefined),
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
  return contextOf(node);
}

export function contextOf(node: NodeApi, servingNode = node): PageContext & { readonly live: TestLive } {
  const live = testLive();
  const queries = new Queries({ live, clock: browserClock, diagnose: (error) => node.diagnose(error) });
  return { node, servingNode, live, queries, page: signal({}) };
}

/** Renders a page as HTML when all its parts are loaded. @throws the problem of a page that fails */
export async function renderPage(
  { View }: PageDefinition,
  params: Readonly<Record<string, string>>,
  context: PageContext,
  query = new URLSearchParams(),
): Promise<{ readonly html: string; readonly text: string }> {
  const render = (): string => renderToString(h(View, { params, query, context }));
  let html = render();
  for (let i = 0; i < MAX_ROUNDS && context.queries.isLoading.value; i++) {
    await context.queries.settled();
    html = render();
  }
  const { problem } = context.page.value;
  if (problem !== undefined) throw problem;
  return { html, text: textOf(html) };
}

/** Returns the visible text of HTML with single spaces. */
export function textOf(html: string): string {
  const plain = html.replace(/<[^>]*>/g, " ").replace(/\s+/g, " ");
  const named: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', amp: "&" };
  return plain.replace(/&(lt|gt|quot|amp);/g, (_, name: string) => named[name]);
}
