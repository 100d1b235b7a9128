import type { Arrival } from "./open-page.ts";
import { linksTo } from "./page-location.ts";

/** The first page needs no focus: screen readers start at its top. */
let isFirst = true;

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
 * Going back restores scroll position and focus. A new page scrolls to the element that the URL selects, or
 * to the top with the focus on the heading.
 */
export function placeFocus({ location: { scrollState }, isNew, isComplete }: Arrival): void {
  const isFirstPage = isFirst;
  if (isComplete) isFirst = false;
  setTimeout(() => {
    if (scrollState !== undefined) {
      if (!isComplete) return;
      window.scrollTo(0, scrollState.scroll);
      if (isTyping()) return;
      const { link, before } = scrollState;
      const focused = link === undefined ? undefined : linksTo(link)[before];
      if (focused !== undefined) focused.focus({ preventScroll: true });
      else if (!isFirstPage) focusHeading();
    } else if (isNew) {
      if (isComplete && scrollToTarget()) return;
      if (isFirstPage) return;
      if (!isComplete) window.scrollTo(0, 0);
      const isFocusLost = document.activeElement === null || document.activeElement === document.body;
      if (isComplete ? isFocusLost : !isTyping()) focusHeading();
    }
  }, 0);
}
