/** Renders pages on the node, so that they are visible before the scripts have loaded. */
import "./server-language.ts";
import { signal } from "@preact/signals";
import { renderToString } from "preact-render-to-string";
import type { RenderPage } from "../api/server/page-renderer.ts";
import { loadChain } from "./data/live.ts";
import { RemoteNodeApi } from "./data/node-api.ts";
import { browserClock } from "./data/platform.ts";
import { Queries } from "./data/queries.ts";
import { pages } from "./pages/all.ts";
import { limitPlainRows } from "./parts/lists/rows.tsx";
import { updateNow } from "./parts/time/now.ts";
import { applyNetwork } from "./shell/network.ts";
import { openView, showView, titleOf } from "./shell/open-page.ts";
import { Shell } from "./shell/shell.tsx";
import { networkColours } from "./shell/theme.ts";

/** Parts that depend on other parts load after them. */
const MAX_ROUNDS = 10;

limitPlainRows();

export const renderPage: RenderPage = async ({ url, path, query, fetch }) => {
  const node = new RemoteNodeApi({ location: { url, servesPage: true }, fetch, clock: browserClock });
  const live = await loadChain(node, browserClock);
  const queries = new Queries({
    live,
    // Nothing is loaded again.
    clock: { ...browserClock, after: () => () => {} },
    diagnose: (error) => node.diagnose(error),
  });
  const context = { node, servingNode: node, live, queries, page: signal({}) };
  const location = { path, query };
  const view = await openView(location, pages);
  const render = (): string => {
    // Requests share the modules' state: it is valid only until the next `await`.
    showView(location, view);
    applyNetwork(node.network.value);
    updateNow();
    return renderToString(<Shell context={context} />);
  };
  let html = render();
  for (let i = 0; i < MAX_ROUNDS && queries.isLoading.value; i++) {
    await queries.settled();
    html = render();
  }
  const network = node.network.value;
  const styles = new StyleRules();
  return {
    title: renderToString(<title>{titleOf(view, context.page.value, network?.name)}</title>),
    // Links relative to the page work at every address of the node.
    html: styles.replaceAttributes(html.replaceAll(`href="${url}`, 'href="../')),
    css: (network === undefined ? "" : networkColours(network.chainId)) + styles.css,
  };
};

/** `content-security-policy` forbids style attributes. */
class StyleRules {
  readonly #rules = new Map<string, number>();

  replaceAttributes(html: string): string {
    return html.replace(/ style="([^"]*)"/g, (_, style: string) => {
      const id = this.#rules.get(style) ?? this.#rules.size;
      this.#rules.set(style, id);
      return ` data-style="${id}"`;
    });
  }

  get css(): string {
    return [...this.#rules].map(([style, id]) => `[data-style="${id}"]{${style}}`).join("");
  }
}
