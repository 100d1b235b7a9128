/** Opens the page of the current location and keeps it up to date. */
import { batch, computed, effect, type ReadonlySignal, signal, untracked } from "@preact/signals";
import { problemOf } from "../data/problems.ts";
import { type Live, type NodeApi, PageProblem, type Params, type Problem } from "../page.ts";
import type { LoadedPage, OpenPage, PageEntry } from "../pages/all.ts";
import { match } from "./match.ts";
import { linkOf, locationOf, type PageLocation, pageLocation } from "./page-location.ts";
import { shellTexts as texts } from "./texts.ts";

type View =
  | { readonly state: "loading"; readonly title: string | undefined }
  | { readonly state: "open"; readonly key: string; readonly page: OpenPage }
  | { readonly state: "failed"; readonly problem: Problem };

/** Pages that load faster are shown without a loading message. */
const LOADING_DELAY_MS = 250;
const RELOAD_DEBOUNCE_MS = 1_000;

/** Delay before a retry if the node is busy or builds an index. */
const RETRY_DELAY_MS = 5_000;

const currentView = signal<View>({ state: "loading", title: undefined });

export const view: ReadonlySignal<View> = currentView;

export const headingOf = ({ kind }: Problem): string => (kind === "unknown" ? texts.notFound : texts.failed);

/** The page comes first: browser tabs are narrow. */
export function titleOf(shown: View, network: string | undefined): string {
  const pageTitle =
    shown.state === "failed"
      ? headingOf(shown.problem)
      : shown.state === "open"
        ? shown.page.title
        : shown.title;
  return [pageTitle, network, texts.name].filter((part) => part !== undefined).join(" · ");
}

export function findPage(
  pages: readonly PageEntry[],
  path: string,
): { readonly entry: PageEntry; readonly params: Params } | undefined {
  for (const entry of pages) {
    const params = match(entry.path, path);
    if (params !== undefined) return { entry, params };
  }
  return undefined;
}

const PAGE_NOT_FOUND = new PageProblem("unknown", texts.pageNotFound, texts.pageNotFoundAdvice);

const CODE_NOT_LOADED = new PageProblem("unavailable", texts.codeNotLoaded, texts.codeNotLoadedAdvice);

interface ReloadablePage {
  readonly key: string;
  readonly loaded: LoadedPage;
  open(signal: AbortSignal): Promise<OpenPage>;
}

async function loadLocation(
  { path, query }: PageLocation,
  pages: readonly PageEntry[],
  context: { readonly node: NodeApi; readonly live: Live },
  ended: AbortSignal,
  setTitle: (title: string) => void,
): Promise<{ readonly opened: ReloadablePage; readonly page: OpenPage }> {
  const found = findPage(pages, path);
  if (found === undefined) throw PAGE_NOT_FOUND;
  const { entry, params } = found;
  const loaded = await entry.fetch().catch(() => {
    throw CODE_NOT_LOADED;
  });
  setTitle(loaded.title(params));
  const open = (signal: AbortSignal): Promise<OpenPage> => loaded.open(params, query, { ...context, signal });
  const opened: ReloadablePage = { key: `${entry.path} ${JSON.stringify(params)}`, loaded, open };
  return { opened, page: await open(ended) };
}

/** Returns a text that changes when the page must be loaded again. */
function refreshKey(refresh: LoadedPage["refresh"], live: Live): ReadonlySignal<string> {
  let height: number | undefined;
  let keyBlock = "";
  return computed(() => {
    if (refresh === "never") return "";
    const tip = live.tip.value;
    if (refresh !== "tip")
      return `${tip?.id} ${live.transactions.value.length} ${live.transactions.value[0]?.transaction.id}`;
    // Ignore micro blocks, but not another key block at the same height.
    if (tip !== undefined && (tip.sequence === 0 || tip.height !== height)) {
      ({ height } = tip);
      keyBlock = `${height} ${tip.sequence === 0 ? tip.id : ""}`;
    }
    return keyBlock;
  });
}

function reloadOnChange(opened: ReloadablePage, live: Live): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isReloading = false;
  let changedDuringReload = false;
  let isFirst = true;
  const key = refreshKey(opened.loaded.refresh, live);
  const reload = async (): Promise<void> => {
    timer = undefined;
    isReloading = true;
    changedDuringReload = false;
    try {
      const page = await opened.open(ended.signal);
      if (!ended.signal.aborted) currentView.value = { state: "open", key: opened.key, page };
    } catch {
      // Keep the old content; the status line reports connection problems.
    }
    isReloading = false;
    if (changedDuringReload && !ended.signal.aborted) timer = setTimeout(reload, RELOAD_DEBOUNCE_MS);
  };
  const stop = effect(() => {
    void key.value;
    if (isFirst) {
      isFirst = false;
      return;
    }
    if (isReloading) changedDuringReload = true;
    else timer ??= setTimeout(reload, RELOAD_DEBOUNCE_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
    ended.abort();
  };
}

/**
 * Opens the page of each new location. Must be called once.
 * @param onArrive `isNew` is false if only the query has changed
 */
export function followLocation(
  pages: readonly PageEntry[],
  context: { readonly node: NodeApi; readonly live: Live },
  onArrive: (location: PageLocation, isNew: boolean) => void,
): void {
  let leave = (): void => {};
  let shownKey = "";
  /** @param isRetry keeps the error view and the scroll position until the retry succeeds */
  const openLocation = (location: PageLocation, isRetry = false): void => {
    leave();
    const ended = new AbortController();
    let title: string | undefined;
    const setTitle = (name: string): void => {
      title = name;
    };
    const showLoading = (): void => {
      currentView.value = { state: "loading", title };
      shownKey = "";
    };
    const loadingTimer = isRetry ? undefined : setTimeout(showLoading, LOADING_DELAY_MS);
    let stop = (): void => {};
    leave = () => {
      clearTimeout(loadingTimer);
      ended.abort();
      stop();
    };
    const show = (view: View, key: string): void => {
      if (ended.signal.aborted) return;
      clearTimeout(loadingTimer);
      currentView.value = view;
      const isNew = shownKey !== key;
      shownKey = key;
      if (!isRetry) onArrive(location, isNew);
    };
    loadLocation(location, pages, context, ended.signal, setTitle).then(
      ({ opened, page }) => {
        show({ state: "open", key: opened.key, page }, opened.key);
        if (!ended.signal.aborted) stop = reloadOnChange(opened, context.live);
      },
      async (error: unknown) => {
        const problem = await context.node.diagnose(error).catch(() => problemOf(error));
        show({ state: "failed", problem }, "");
        if (ended.signal.aborted || problem.kind === "unknown" || problem.kind === "malformed") return;
        // Retry a temporary failure when the connection recovers.
        let isFirst = true;
        const retry = (): void => untracked(() => openLocation(location, true));
        const isRetriedByTimer = problem.kind === "building" || problem.kind === "busy";
        const timer = isRetriedByTimer ? setTimeout(retry, RETRY_DELAY_MS) : undefined;
        const unwatch = effect(() => {
          const { state } = context.live.connection.value;
          if (!isFirst && state === "live") retry();
          isFirst = false;
        });
        stop = () => {
          clearTimeout(timer);
          unwatch();
        };
      },
    );
  };
  effect(() => {
    const location = pageLocation.value;
    untracked(() => batch(() => openLocation(location)));
  });
}

const PREFETCH_DELAY_MS = 65;

/** Prefetches a page when the pointer rests on a link or focus moves there. Must be called once. */
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
