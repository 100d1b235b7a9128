/** Where eye and focus are to be when a page has come. */
import { linksTo, type PageLocation } from "./page-location.ts";

/** Whether a page has come before: with the first one, a screen reader begins at the top by itself. */
let hasCome = false;

/** Whether somebody writes: the focus stays with whoever began to while a page was on its way. */
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

/** Scrolls to the part of the page that the link asks for, and focuses it. @returns whether there is such a part */
function scrollToTarget(): boolean {
  const part = document.querySelector<HTMLElement>("main [data-arrive]");
  if (part === null) return false;
  part.scrollIntoView({ block: "center" });
  if (!isWriting()) part.focus({ preventScroll: true });
  return true;
}

/**
 * After a link, scrolls to the part that it asks for, or to the top of the page and its heading. After going back,
 * restores the former position.
 * @param isNew whether it is another page than before, and not just another part of it
 */
export function placeFocus({ restore }: PageLocation, isNew: boolean): void {
  const isFirst = !hasCome;
  hasCome = true;
  // Behind the drawing, which is done in this turn.
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
