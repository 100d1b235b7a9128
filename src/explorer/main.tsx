import { effect, signal } from "@preact/signals";
import { render } from "preact";
import { readEmbeddedAnswers } from "./data/embedded-answers.ts";
import { loadLabels } from "./data/labels.ts";
import { followChain } from "./data/live.ts";
import { RemoteNodeApi } from "./data/node-api.ts";
import { nodeLocation } from "./data/node-url.ts";
import { browserClock, tabVisibility } from "./data/platform.ts";
import { problemOf } from "./data/problems.ts";
import { Queries } from "./data/queries.ts";
import { eventsThroughHub, startEventWorker } from "./data/shared-events.ts";
import { setLinkedNode } from "./links.ts";
import type { PageContext } from "./page.ts";
import { loadOtherPagesWhenIdle, pages } from "./pages/all.ts";
import { acceptDroppedFiles } from "./shell/dropped-files.ts";
import { applyNetwork } from "./shell/network.ts";
import { loadNotices } from "./shell/noticed-reorganisations.ts";
import { followLocation, prefetchOnHover, titleOf, view } from "./shell/open-page.ts";
import { interceptLinks, pageLocation } from "./shell/page-location.ts";
import { placeFocus } from "./shell/place-focus.ts";
import { listenForKeys } from "./shell/search-box.tsx";
import { Shell, StartFailure } from "./shell/shell.tsx";
import { takeOver } from "./shell/take-over.ts";
import { applyNetworkAccent, startTheme } from "./shell/theme.ts";

startTheme();
loadLabels();
interceptLinks();
const neverAborted = new AbortController().signal;
const base = new URL("./", document.baseURI).href;
const nodeParameter = pageLocation.value.query.get("node");
const root = takeOver(document.getElementById("page") ?? document.body);

try {
  const location = nodeLocation(nodeParameter, base);
  if (!location.servesPage) setLinkedNode(location.url);
  const probe = (url: string): Promise<unknown> => fetch(url, { mode: "no-cors", cache: "no-store" });
  const worker = startEventWorker();
  const openEvents = worker && eventsThroughHub(worker, fetch.bind(window));
  const answers = readEmbeddedAnswers(location.url, fetch.bind(window));
  const options = { fetch: answers.fetch, clock: browserClock };
  const node = new RemoteNodeApi({ ...options, location, openEvents, probe });
  const servingNode = location.servesPage
    ? node
    : new RemoteNodeApi({ ...options, location: nodeLocation(null, base) });
  loadNotices(node);
  const liveOptions = { node, clock: browserClock, visibility: tabVisibility, signal: neverAborted };
  const live = followChain(liveOptions, answers.areEmbedded);
  const queries = new Queries({ live, clock: browserClock, diagnose: (error) => node.diagnose(error) });
  const context: PageContext = { node, servingNode, live, queries, page: signal({}) };
  effect(() => {
    const network = node.network.value;
    if (network !== undefined) applyNetworkAccent(network.chainId);
    applyNetwork(network);
  });
  effect(() => {
    document.title = titleOf(view.value, context.page.value, node.network.value?.name);
  });
  render(<Shell context={context} />, root.element);
  followLocation(pages, context, (arrival) => {
    if (arrival.isComplete) {
      root.show();
      answers.discard();
    }
    placeFocus(arrival);
    if (arrival.isComplete) loadOtherPagesWhenIdle();
  });
  prefetchOnHover(pages);
  listenForKeys();
  acceptDroppedFiles();
} catch (error) {
  // The node in `?node=` is invalid.
  render(<StartFailure problem={problemOf(error)} />, root.element);
  root.show();
}
