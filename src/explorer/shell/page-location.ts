/** Where the reader is: the address bar, the history, and where he was on each page of it. */
import { type ReadonlySignal, signal } from "@preact/signals";

export interface PageLocation {
  /** Below the base, without a slash in front, as it stands in the address bar. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** Set where the reader went back or forward: where he was on it when he left. */
  readonly restore?: ScrollState | undefined;
}

/** What is kept of a place in its entry of the history. */
interface ScrollState {
  readonly scroll: number;
  /** `href` of the link that had the focus. */
  readonly link: string | undefined;
  /** How many links of the same `href` stand before it. */
  readonly before: number;
}

/** The links of the page to one place, in their order. */
export function linksTo(href: string): HTMLElement[] {
  const links = [...document.querySelectorAll<HTMLElement>("a[href]")];
  return links.filter((link) => link.getAttribute("href") === href);
}

/** What an entry of the history holds, if it is ours. */
function parseScrollState(state: unknown): ScrollState | undefined {
  if (typeof state !== "object" || state === null) return undefined;
  // Only looked at; each member is checked.
  const { scroll, link, before } = state as Readonly<Record<string, unknown>>;
  if (typeof scroll !== "number" || typeof before !== "number") return undefined;
  return { scroll, before, link: typeof link === "string" ? link : undefined };
}

const base = (): URL => new URL("./", document.baseURI);

/** The place of a URL; undefined where it is not one of the page's. */
export function locationOf(url: URL, restore?: ScrollState): PageLocation | undefined {
  const { origin, pathname } = base();
  if (url.origin !== origin || !url.pathname.startsWith(pathname)) return undefined;
  return { path: url.pathname.slice(pathname.length), query: url.searchParams, restore };
}

const overview: PageLocation = { path: "", query: new URLSearchParams() };
const current = signal<PageLocation>(overview);

/** Where the reader is now. */
export const pageLocation: ReadonlySignal<PageLocation> = current;

/** Notes where the reader is on the page that he is about to leave. */
function saveScrollState(): void {
  const focused = document.activeElement;
  const isLink = focused instanceof HTMLElement && focused.hasAttribute("href");
  const link = isLink ? (focused.getAttribute("href") ?? undefined) : undefined;
  const before = isLink && link !== undefined ? linksTo(link).indexOf(focused) : 0;
  history.replaceState({ scroll: window.scrollY, link, before } satisfies ScrollState, "");
}

/** Goes to a link of the page. @param replaces whether back is not to lead here, as with what only filters a list */
export function navigate(href: string, replaces = false): void {
  const url = new URL(href, document.baseURI);
  const next = locationOf(url);
  if (next === undefined) {
    window.location.assign(url);
    return;
  }
  if (replaces) history.replaceState(null, "", url);
  else {
    saveScrollState();
    history.pushState(null, "", url);
  }
  current.value = next;
}

/** The link that an event comes from, where it leads to a place of the page. */
export function linkOf(event: Event): HTMLAnchorElement | undefined {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.hasAttribute("download"))
    return undefined;
  return locationOf(new URL(link.href)) === undefined ? undefined : link;
}

/** Makes links of the page change the place instead of loading the page anew. To be called once. */
export function interceptLinks(): void {
  // Where it stands does not change with the address bar.
  const element = document.querySelector("base");
  if (element !== null) element.href = base().href;
  history.scrollRestoration = "manual";
  current.value = locationOf(new URL(window.location.href), parseScrollState(history.state)) ?? overview;
  document.addEventListener("click", (event) => {
    if (event.defaultPrevented || event.button !== 0) return;
    if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return;
    const link = linkOf(event);
    if (link === undefined) return;
    event.preventDefault();
    navigate(link.href);
  });
  window.addEventListener("popstate", (event) => {
    current.value = locationOf(new URL(window.location.href), parseScrollState(event.state)) ?? overview;
  });
  // A page that is loaded again is where it was.
  window.addEventListener("pagehide", saveScrollState);
}
