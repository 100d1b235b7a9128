/** Opens the page of the place where the reader is, and keeps it as new as it wants to be. */
import { batch, effect, type ReadonlySignal, signal, untracked } from "@preact/signals";
import { problemOf } from "../data/problems.ts";
import { type Live, type NodeApi, PageProblem, type Params, type Problem } from "../page.ts";
import type { LoadedPage, OpenPage, PageEntry } from "../pages/all.ts";
import { match } from "./match.ts";
import { linkOf, locationOf, type PageLocation, pageLocation } from "./page-location.ts";

type View =
  | { readonly state: "loading"; readonly title: string | undefined }
  | { readonly state: "open"; readonly key: string; readonly page: OpenPage }
  | { readonly state: "failed"; readonly problem: Problem };

/** What is loaded within this time takes the place of what was there at once, without a word that it is loaded; ms. */
const LOADING_DELAY_MS = 250;
/** Least time between two silent reloads, ms. */
const RELOAD_DEBOUNCE_MS = 1_000;

/** After how long a node that builds an index, or has too much to do, is asked again, ms. */
const RETRY_DELAY_MS = 5_000;

const current = signal<View>({ state: "loading", title: undefined });

/** What is to be drawn. */
export const view: ReadonlySignal<View> = current;

/** What stands above a problem. */
export const headingOf = ({ kind }: Problem): string =>
  kind === "unknown" ? "Not found" : "That did not work";

/** What the tab and the history call it: first what it is, since tabs are narrow. */
export function titleOf(seen: View, network: string | undefined): string {
  const own =
    seen.state === "failed" ? headingOf(seen.problem) : seen.state === "open" ? seen.page.title : seen.title;
  return [own, network, "Holdfast"].filter((part) => part !== undefined).join(" · ");
}

/** The page of a path, and its parameters. */
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

const PAGE_NOT_FOUND = new PageProblem(
  "unknown",
  "There is no such page here.",
  "Look for what you want in the field at the top, or begin with the overview.",
);

const CODE_NOT_LOADED = new PageProblem(
  "unavailable",
  "This part of the page cannot be fetched.",
  "The node that the page comes from is away, or has another version by now: see whether it runs, and load the page again.",
);

/** A page that can be loaded again. */
interface ReloadablePage {
  readonly key: string;
  readonly loaded: LoadedPage;
  open(signal: AbortSignal): Promise<OpenPage>;
}

/** Finds and opens what a place shows. */
async function openPlace(
  { path, query }: PageLocation,
  pages: readonly PageEntry[],
  context: { readonly node: NodeApi; readonly live: Live },
  ended: AbortSignal,
  call: (title: string) => void,
): Promise<{ readonly opened: ReloadablePage; readonly page: OpenPage }> {
  const found = findPage(pages, path);
  if (found === undefined) throw PAGE_NOT_FOUND;
  const { entry, params } = found;
  const loaded = await entry.fetch().catch(() => {
    throw CODE_NOT_LOADED;
  });
  call(loaded.title(params));
  const open = (signal: AbortSignal): Promise<OpenPage> => loaded.open(params, query, { ...context, signal });
  const opened: ReloadablePage = { key: `${entry.path} ${JSON.stringify(params)}`, loaded, open };
  return { opened, page: await open(ended) };
}

/** What a page follows: a number that changes when it is to be loaded again. */
function refreshKey(refresh: LoadedPage["refresh"], live: Live): string {
  if (refresh === "never") return "";
  const tip = live.tip.value;
  if (refresh === "tip") return tip === undefined ? "" : `${tip.height} ${tip.sequence === 0 ? tip.id : ""}`;
  return `${tip?.id} ${live.transactions.value.length} ${live.transactions.value[0]?.transaction.id}`;
}

/** Loads a page again, silently, whenever what it follows has changed. @returns what ends it */
function reloadOnChange(opened: ReloadablePage, live: Live): () => void {
  const ended = new AbortController();
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running = false;
  let again = false;
  let isFirst = true;
  const reload = async (): Promise<void> => {
    timer = undefined;
    running = true;
    again = false;
    try {
      const page = await opened.open(ended.signal);
      if (!ended.signal.aborted) current.value = { state: "open", key: opened.key, page };
    } catch {
      // Whatever it is: what stands there is older than it could be, and the status line says when nothing comes.
    }
    running = false;
    if (again && !ended.signal.aborted) timer = setTimeout(reload, RELOAD_DEBOUNCE_MS);
  };
  const stop = effect(() => {
    refreshKey(opened.loaded.refresh, live);
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

/** Follows the reader from page to page. To be called once. */
export function followLocation(
  pages: readonly PageEntry[],
  context: { readonly node: NodeApi; readonly live: Live },
  arrive: (place: PageLocation, isNew: boolean) => void,
): void {
  let leave = (): void => {};
  let shown = "";
  /** @param isAgain whether the reader looks at what failed: until it succeeds that stays, and he where he is on it */
  const openHere = (here: PageLocation, isAgain = false): void => {
    leave();
    const ended = new AbortController();
    let title: string | undefined;
    const call = (name: string): void => {
      title = name;
    };
    const wait = (): void => {
      current.value = { state: "loading", title };
      shown = "";
    };
    const patience = isAgain ? undefined : setTimeout(wait, LOADING_DELAY_MS);
    let stop = (): void => {};
    leave = () => {
      clearTimeout(patience);
      ended.abort();
      stop();
    };
    const settle = (view: View, key: string): void => {
      if (ended.signal.aborted) return;
      clearTimeout(patience);
      current.value = view;
      const isNew = shown !== key;
      shown = key;
      if (!isAgain) arrive(here, isNew);
    };
    openPlace(here, pages, context, ended.signal, call).then(
      ({ opened, page }) => {
        settle({ state: "open", key: opened.key, page }, opened.key);
        if (!ended.signal.aborted) stop = reloadOnChange(opened, context.live);
      },
      async (error: unknown) => {
        const problem = await context.node.diagnose(error).catch(() => problemOf(error));
        settle({ state: "failed", problem }, "");
        if (ended.signal.aborted || problem.kind === "unknown" || problem.kind === "malformed") return;
        // What failed for now is tried again when the node is heard of.
        let isFirst = true;
        const again = (): void => untracked(() => openHere(here, true));
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
    untracked(() => batch(() => openHere(here)));
  });
}

/** A pointer that rests on a link for so long may follow it, ms. */
const PREFETCH_DELAY_MS = 65;

/** Fetches the code of a page whose link the pointer rests on, or which has the focus. To be called once. */
export function prefetchOnHover(pages: readonly PageEntry[]): void {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = (event: Event): void => {
    clearTimeout(timer);
    const link = linkOf(event);
    const there = link && locationOf(new URL(link.href));
    const found = there && findPage(pages, there.path);
    // One that cannot be fetched says so when it is opened.
    if (found !== undefined) timer = setTimeout(() => found.entry.fetch().catch(() => {}), PREFETCH_DELAY_MS);
  };
  document.addEventListener("pointerover", look, { passive: true });
  document.addEventListener("focusin", look);
}
