import { linksTo, type PageLocation } from "./page-location.ts";

/** The first page needs no focus. */
let hasPlacedFocus = false;

/** Navigation must not move the focus of a text field. */
function isTyping(): boolean {
  const { activeElement } = document;
  return activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement;
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** @returns false if the page lacks the element that the URL selects */
function scrollToTarget(): boolean {
  const target = document.querySelector<HTMLElement>("main [data-scroll-target]");
  if (target === null) return false;
  target.scrollIntoView({ block: "center" });
  if (!isTyping()) target.focus({ preventScroll: true });
  return true;
}

/**
 * Going back restores scroll position and focus. A new page scrolls to the element that the URL selects, or to the top
 * with the focus on the heading.
 * @param isNewPage false if only a part of the page has changed
 */
export function placeFocus({ scrollState }: PageLocation, isNewPage: boolean): void {
  const isFirst = !hasPlacedFocus;
  hasPlacedFocus = true;
  setTimeout(() => {
    if (scrollState !== undefined) {
      window.scrollTo(0, scrollState.scroll);
      if (isTyping()) return;
      const { link, before } = scrollState;
      const focused = link === undefined ? undefined : linksTo(link)[before];
      if (focused !== undefined) focused.focus({ preventScroll: true });
      else if (!isFirst) focusHeading();
    } else if (isNewPage && !scrollToTarget() && !isFirst) {
      window.scrollTo(0, 0);
      if (!isTyping()) focusHeading();
    }
  }, 0);
}
