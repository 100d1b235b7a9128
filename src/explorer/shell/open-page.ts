/** Opens the page of the current location. */
import { batch, effect, type ReadonlySignal, signal, untracked } from "@preact/signals";
import { problemOf } from "../data/problems.ts";
import { type PageContext, type PageDefinition, PageProblem, type Params, type Problem } from "../page.ts";
import type { PageEntry } from "../pages/all.ts";
import { headingOf } from "../parts/panel.tsx";
import { linkOf, locationOf, type PageLocation, pageLocation, setPageLocation } from "./page-location.ts";
import { shellTexts as texts } from "./texts.ts";

type View =
  | { readonly state: "loading" }
  | {
      readonly state: "open";
      readonly key: string;
      readonly page: PageDefinition;
      readonly params: Params;
      readonly query: URLSearchParams;
    }
  | { readonly state: "failed"; readonly problem: Problem };

/** Time for which the previous page stays visible during loading. */
const LOADING_DELAY_MS = 250;

const currentView = signal<View>({ state: "loading" });

export const view: ReadonlySignal<View> = currentView;

/** Shows a page on the node, which has no location of its own. */
export function showView(location: PageLocation, opened: View): void {
  setPageLocation(location);
  currentView.value = opened;
}

/** The document's title. */
export function titleOf(
  shown: View,
  { title, problem }: PageContext["page"]["value"],
  network: string | undefined,
): string {
  const failure = shown.state === "failed" ? shown.problem : problem;
  const ownTitle = shown.state === "open" ? (title ?? shown.page.title(shown.params)) : undefined;
  const pageTitle = failure === undefined ? ownTitle : headingOf(failure);
  return [pageTitle, network, texts.name].filter((part) => part !== undefined).join(" · ");
}

export function findPage(
  pages: readonly PageEntry[],
  path: string,
): { readonly entry: PageEntry; readonly params: Params } | undefined {
  for (const entry of pages) {
    const params = matchPath(entry.path, path);
    if (params !== undefined) return { entry, params };
  }
  return undefined;
}

const PAGE_NOT_FOUND = new PageProblem("unknown", texts.pageNotFound, texts.pageNotFoundAdvice);
const CODE_NOT_LOADED = new PageProblem("failed", texts.codeNotLoaded, texts.codeNotLoadedAdvice);

export async function openView({ path, query }: PageLocation, pages: readonly PageEntry[]): Promise<View> {
  const found = findPage(pages, path);
  if (found === undefined) return { state: "failed", problem: problemOf(PAGE_NOT_FOUND) };
  const { entry, params } = found;
  try {
    const page = await entry.fetch();
    return { state: "open", key: `${entry.path} ${JSON.stringify(params)}`, page, params, query };
  } catch {
    return { state: "failed", problem: problemOf(CODE_NOT_LOADED) };
  }
}

export interface Arrival {
  readonly location: PageLocation;
  /** False if only the query has changed. */
  readonly isNew: boolean;
  readonly isComplete: boolean;
}

/**
 * Opens a page for each location. Must be called once.
 * @param onArrive called twice for each location: before and after the page loads its parts
 */
export function followLocation(
  pages: readonly PageEntry[],
  context: PageContext,
  onArrive: (arrival: Arrival) => void,
): void {
  let leave = (): void => {};
  let shownKey = "";
  const openLocation = (location: PageLocation): void => {
    leave();
    let isLeft = false;
    const loadingTimer = setTimeout(() => {
      currentView.value = { state: "loading" };
      shownKey = "";
    }, LOADING_DELAY_MS);
    leave = () => {
      isLeft = true;
      clearTimeout(loadingTimer);
    };
    void openView(location, pages).then((opened) => {
      if (isLeft) return;
      clearTimeout(loadingTimer);
      const key = opened.state === "open" ? opened.key : "failed";
      const isNew = shownKey !== key;
      shownKey = key;
      batch(() => {
        if (isNew) context.page.value = {};
        currentView.value = opened;
      });
      onArrive({ location, isNew, isComplete: false });
      // The parts of the page begin to load when it is rendered.
      setTimeout(async () => {
        await context.queries.settled();
        if (!isLeft) onArrive({ location, isNew, isComplete: true });
      }, 0);
    });
  };
  effect(() => {
    const location = pageLocation.value;
    untracked(() => openLocation(location));
  });
  let wasLost = false;
  effect(() => {
    const { state } = context.live.connection.value;
    // Retry when the node is back.
    if (wasLost && state === "live" && currentView.peek().state === "failed")
      untracked(() => openLocation(pageLocation.value));
    wasLost = state === "lost";
  });
}

const PREFETCH_DELAY_MS = 65;

/** Prefetches the page of a link when it is hovered over or focused. Must be called once. */
export function prefetchOnHover(pages: readonly PageEntry[]): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const prefetchLinkedPage = (event: Event): void => {
    clearTimeout(timer);
    const link = linkOf(event);
    const target = link && locationOf(new URL(link.href));
    const found = target && findPage(pages, target.path);
    // A failure is reported when the page is opened.
    if (found !== undefined) timer = setTimeout(() => found.entry.fetch().catch(() => {}), PREFETCH_DELAY_MS);
  };
  document.addEventListener("pointerover", prefetchLinkedPage, { passive: true });
  document.addEventListener("focusin", prefetchLinkedPage);
}

function segmentsOf(path: string): string[] | undefined {
  try {
    return path.replace(/\/$/, "").split("/").map(decodeURIComponent);
  } catch (error) {
    if (error instanceof URIError) return undefined;
    throw error;
  }
}

/**
 * Returns the decoded parameters, or undefined without a match.
 * @param pattern such as `block/:id`; a final `?` makes the last segment optional
 * @param path relative to the base URL, without a leading slash
 */
export function matchPath(pattern: string, path: string): Params | undefined {
  const parts = pattern.split("/");
  const segments = segmentsOf(path);
  if (segments === undefined || segments.length > parts.length) return undefined;
  const params: Record<string, string> = {};
  for (const [i, part] of parts.entries()) {
    const segment = segments[i];
    if (!part.startsWith(":")) {
      if (segment !== part) return undefined;
    } else if (segment !== undefined && segment !== "") params[part.slice(1).replace(/\?$/, "")] = segment;
    else if (!part.endsWith("?")) return undefined;
  }
  return params;
}
