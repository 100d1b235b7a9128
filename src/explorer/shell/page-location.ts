/** The page's location, and its scroll position in the browser's history. */
import { type ReadonlySignal, signal } from "@preact/signals";
import { membersOf } from "../../client/decode.ts";

export interface PageLocation {
  /** Percent-encoded and relative to the base URL, without a leading slash. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly scrollState?: ScrollState | undefined;
}

interface ScrollState {
  /** In pixels. */
  readonly scroll: number;
  /** `href` of the focused link, and the number of links with the same `href` before it. */
  readonly link: string | undefined;
  readonly before: number;
}

export function linksTo(href: string): HTMLElement[] {
  const links = [...document.querySelectorAll<HTMLElement>("a[href]")];
  return links.filter((link) => link.getAttribute("href") === href);
}

function parseScrollState(state: unknown): ScrollState | undefined {
  const { scroll, link, before } = membersOf(state);
  if (typeof scroll !== "number" || typeof before !== "number") return undefined;
  return { scroll, before, link: typeof link === "string" ? link : undefined };
}

const base = (): URL => new URL("./", document.baseURI);

export function locationOf(url: URL, scrollState?: ScrollState): PageLocation | undefined {
  const { origin, pathname } = base();
  if (url.origin !== origin || !url.pathname.startsWith(pathname)) return undefined;
  return { path: url.pathname.slice(pathname.length), query: url.searchParams, scrollState };
}

const overview: PageLocation = { path: "", query: new URLSearchParams() };
const current = signal<PageLocation>(overview);

export const pageLocation: ReadonlySignal<PageLocation> = current;

export function setPageLocation(location: PageLocation): void {
  current.value = location;
}

function saveScrollState(): void {
  const focused = document.activeElement;
  const isLink = focused instanceof HTMLElement && focused.hasAttribute("href");
  const link = isLink ? (focused.getAttribute("href") ?? undefined) : undefined;
  const before = isLink && link !== undefined ? linksTo(link).indexOf(focused) : 0;
  history.replaceState({ scroll: window.scrollY, link, before } satisfies ScrollState, "");
}

/**
 * Opens a URL, which may be outside the explorer.
 * @param replaces true to replace the history entry, for example for filters
 */
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

/** Undefined for a link that leaves the explorer or downloads a file. */
export function linkOf(event: Event): HTMLAnchorElement | undefined {
  const link = event.target instanceof Element ? event.target.closest("a[href]") : null;
  if (!(link instanceof HTMLAnchorElement) || link.target !== "" || link.hasAttribute("download"))
    return undefined;
  return locationOf(new URL(link.href)) === undefined ? undefined : link;
}

/** Opens the explorer's pages without reloading the document. Must be called once. */
export function interceptLinks(): void {
  // A relative base URL would change with the address bar.
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
  window.addEventListener("pagehide", saveScrollState);
}
