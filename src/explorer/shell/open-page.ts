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

/** Faster pages replace the previous one without a loading message. */
const LOADING_DELAY_MS = 250;
const RELOAD_DEBOUNCE_MS = 1_000;

/** For a node that is busy or builds an index. */
const RETRY_DELAY_MS = 5_000;

const current = signal<View>({ state: "loading", title: undefined });

export const view: ReadonlySignal<View> = current;

export const headingOf = ({ kind }: Problem): string => (kind === "unknown" ? texts.notFound : texts.failed);

/** The page comes first, because tabs are narrow. */
export function titleOf(seen: View, network: string | undefined): string {
  const own =
    seen.state === "failed" ? headingOf(seen.problem) : seen.state === "open" ? seen.page.title : seen.title;
  return [own, network, texts.name].filter((part) => part !== undefined).join(" · ");
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

/** Returns a signal that changes when the page must be reloaded. */
function refreshKey(refresh: LoadedPage["refresh"], live: Live): ReadonlySignal<string> {
  let height: number | undefined;
  let keyBlock = "";
  return computed(() => {
    if (refresh === "never") return "";
    const tip = live.tip.value;
    if (refresh !== "tip")
      return `${tip?.id} ${live.transactions.value.length} ${live.transactions.value[0]?.transaction.id}`;
    // Micro blocks keep the key of their block; another key block at the same height changes it.
    if (tip !== undefined && (tip.sequence === 0 || tip.height !== height)) {
      ({ height } = tip);
      keyBlock = `${height} ${tip.sequence === 0 ? tip.id : ""}`;
    }
    return keyBlock;
  });
}

/** @returns a function that stops reloading */
function reloadOnChange(opened: ReloadablePage, live: Live): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let again = false;
  let isFirst = true;
  const key = refreshKey(opened.loaded.refresh, live);
  const reload = async (): Promise<void> => {
    timer = undefined;
    running = true;
    again = false;
    try {
      const page = await opened.open(ended.signal);
      if (!ended.signal.aborted) current.value = { state: "open", key: opened.key, page };
    } catch {
      // Keep the old content; the status line reports connection problems.
    }
    running = false;
    if (again && !ended.signal.aborted) timer = setTimeout(reload, RELOAD_DEBOUNCE_MS);
  };
  const stop = effect(() => {
    void key.value;
    if (isFirst) {
      isFirst = false;
      return;
    }
    if (running) again = true;
    else timer ??= setTimeout(reload, RELOAD_DEBOUNCE_MS);
  });
  return () => {
    stop();
    clearTimeout(timer);
    ended.abort();
  };
}

/** Call it once. */
export function followLocation(
  pages: readonly PageEntry[],
  context: { readonly node: NodeApi; readonly live: Live },
  onArrive: (location: PageLocation, isNew: boolean) => void,
): void {
  let leave = (): void => {};
  let shownKey = "";
  /** @param isAgain keeps the error view and the scroll position until the retry succeeds */
  const openLocation = (here: PageLocation, isAgain = false): void => {
    leave();
    const ended = new AbortController();
    let title: string | undefined;
    const setTitle = (name: string): void => {
      title = name;
    };
    const showLoading = (): void => {
      current.value = { state: "loading", title };
      shownKey = "";
    };
    const loadingTimer = isAgain ? undefined : setTimeout(showLoading, LOADING_DELAY_MS);
    let stop = (): void => {};
    leave = () => {
      clearTimeout(loadingTimer);
      ended.abort();
      stop();
    };
    const show = (view: View, key: string): void => {
      if (ended.signal.aborted) return;
      clearTimeout(loadingTimer);
      current.value = view;
      const isNew = shownKey !== key;
      shownKey = key;
      if (!isAgain) onArrive(here, isNew);
    };
    loadLocation(here, pages, context, ended.signal, setTitle).then(
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
        const again = (): void => untracked(() => openLocation(here, true));
        const passes = problem.kind === "building" || problem.kind === "busy";
        const timer = passes ? setTimeout(again, RETRY_DELAY_MS) : undefined;
        const unwatch = effect(() => {
          const { state } = context.live.connection.value;
          if (!isFirst && state === "live") again();
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
    const here = pageLocation.value;
    untracked(() => batch(() => openLocation(here)));
  });
}

const PREFETCH_DELAY_MS = 65;

/** Prefetches code when the pointer rests on a link, or the link gets the focus. Call it once. */
export function prefetchOnHover(pages: readonly PageEntry[]): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (event: Event): void => {
    clearTimeout(timer);
    const link = linkOf(event);
    const there = link && locationOf(new URL(link.href));
    const found = there && findPage(pages, there.path);
    // Opening the page reports the failure.
    if (found !== undefined) timer = setTimeout(() => found.entry.fetch().catch(() => {}), PREFETCH_DELAY_MS);
  };
  document.addEventListener("pointerover", look, { passive: true });
  document.addEventListener("focusin", look);
}
