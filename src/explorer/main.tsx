/** Where the page starts. */

import { effect } from "@preact/signals";
import { render } from "preact";
import { followChain } from "./data/live.ts";
import { createNodeApi } from "./data/node-api.ts";
import { nodePlace } from "./data/node-url.ts";
import { browserClock, tabVisibility } from "./data/platform.ts";
import { problemOf } from "./data/problems.ts";
import { keepNode } from "./links.ts";
import { pages } from "./pages/all.ts";
import { arrive } from "./shell/arrive.ts";
import { takeDroppedFiles } from "./shell/dropping.ts";
import { watchHealth } from "./shell/health.ts";
import { listenForKeys } from "./shell/keys.ts";
import { openPages, prefetchOnHover, titleOf, view } from "./shell/opening.ts";
import { followLinks, place } from "./shell/place.ts";
import { Shell, Unstartable } from "./shell/shell.tsx";
import { paintNetwork, startTheme } from "./shell/theme.ts";
import "./style/all.css";

startTheme();
followLinks();
const forever = new AbortController().signal;
const base = new URL("./", document.baseURI).href;
const wanted = place.value.query.get("node");
const root = document.getElementById("page") ?? document.body;

try {
  const where = nodePlace(wanted, base);
  if (!where.own) keepNode(where.url);
  const knock = (url: string): Promise<unknown> => fetch(url, { mode: "no-cors", cache: "no-store" });
  const node = createNodeApi({ place: where, fetch: fetch.bind(window), clock: browserClock, knock });
  const live = followChain({ node, clock: browserClock, visibility: tabVisibility, signal: forever });
  effect(() => {
    const network = node.network.value;
    if (network !== undefined) paintNetwork(network.chainId);
  });
  effect(() => {
    document.title = titleOf(view.value, node.network.value?.name);
  });
  render(<Shell node={node} live={live} health={watchHealth(node, live)} />, root);
  openPages(pages, { node, live }, arrive);
  prefetchOnHover(pages);
  listenForKeys();
  takeDroppedFiles();
} catch (error) {
  // What `?node=` names is no node: there is nothing to look at.
  render(<Unstartable problem={problemOf(error)} />, root);
}
