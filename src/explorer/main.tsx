import { effect } from "@preact/signals";
import { render } from "preact";
import { followChain } from "./data/live.ts";
import { RemoteNodeApi } from "./data/node-api.ts";
import { nodePlace } from "./data/node-url.ts";
import { browserClock, tabVisibility } from "./data/platform.ts";
import { problemOf } from "./data/problems.ts";
import { setLinkedNode } from "./links.ts";
import { pages } from "./pages/all.ts";
import { acceptDroppedFiles } from "./shell/dropped-files.ts";
import { watchHealth } from "./shell/health.ts";
import { listenForKeys } from "./shell/keys.ts";
import { followLocation, prefetchOnHover, titleOf, view } from "./shell/open-page.ts";
import { interceptLinks, pageLocation } from "./shell/page-location.ts";
import { placeFocus } from "./shell/place-focus.ts";
import { Shell, StartFailure } from "./shell/shell.tsx";
import { paintNetwork, startTheme } from "./shell/theme.ts";
import "./style/all.css";

startTheme();
interceptLinks();
const forever = new AbortController().signal;
const base = new URL("./", document.baseURI).href;
const wanted = pageLocation.value.query.get("node");
const root = document.getElementById("page") ?? document.body;

try {
  const where = nodePlace(wanted, base);
  if (!where.own) setLinkedNode(where.url);
  const probe = (url: string): Promise<unknown> => fetch(url, { mode: "no-cors", cache: "no-store" });
  const node = new RemoteNodeApi({ place: where, fetch: fetch.bind(window), clock: browserClock, probe });
  const live = followChain({ node, clock: browserClock, visibility: tabVisibility, signal: forever });
  effect(() => {
    const network = node.network.value;
    if (network !== undefined) paintNetwork(network.chainId);
  });
  effect(() => {
    document.title = titleOf(view.value, node.network.value?.name);
  });
  render(<Shell node={node} live={live} health={watchHealth(node, live)} />, root);
  followLocation(pages, { node, live }, placeFocus);
  prefetchOnHover(pages);
  listenForKeys();
  acceptDroppedFiles();
} catch (error) {
  // Without a valid `?node=` there is nothing to show.
  render(<StartFailure problem={problemOf(error)} />, root);
}
