import { linksTo, type PageLocation } from "./page-location.ts";

/** On the first page, screen readers begin at the top themselves. */
let hasPlacedFocus = false;

/** Returns true if the user types; the focus then stays. */
function isWriting(): boolean {
  const { activeElement } = document;
  return activeElement instanceof HTMLInputElement || activeElement instanceof HTMLTextAreaElement;
}

function focusHeading(): void {
  const heading = document.querySelector<HTMLElement>("main h1");
  if (heading === null) return;
  heading.tabIndex = -1;
  heading.focus({ preventScroll: true });
}

/** @returns false if the URL asks for no element */
function scrollToTarget(): boolean {
  const part = document.querySelector<HTMLElement>("main [data-arrive]");
  if (part === null) return false;
  part.scrollIntoView({ block: "center" });
  if (!isWriting()) part.focus({ preventScroll: true });
  return true;
}

/**
 * Sets scroll position and focus: to the element that the URL asks for, to the heading, or as before after
 * going back.
 * @param isNew false for another part of the same page
 */
export function placeFocus({ restore }: PageLocation, isNew: boolean): void {
  const isFirst = !hasPlacedFocus;
  hasPlacedFocus = true;
  // After this turn's rendering.
  setTimeout(() => {
    if (restore !== undefined) {
      window.scrollTo(0, restore.scroll);
      if (isWriting()) return;
      const { link, before } = restore;
      const focused = link === undefined ? undefined : linksTo(link)[before];
      if (focused !== undefined) focused.focus({ preventScroll: true });
      else if (!isFirst) focusHeading();
    } else if (isNew && !scrollToTarget() && !isFirst) {
      window.scrollTo(0, 0);
      if (!isWriting()) focusHeading();
    }
  }, 0);
}
