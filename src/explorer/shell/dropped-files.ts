/** Opens the anchor page when the user drops files on any other page. */

import { anchorLink } from "../links.ts";
import { navigate, pageLocation } from "./page-location.ts";

let dropped: readonly File[] = [];

/** Returns the dropped files and forgets them. */
export function takeDroppedFiles(): readonly File[] {
  const files = dropped;
  dropped = [];
  return files;
}

/** The anchor page has its own drop handler. */
const isAnchorPage = (): boolean => /^anchor(\/|$)/.test(pageLocation.value.path);

/** Listens for files dropped on the document. Call this function once. */
export function acceptDroppedFiles(): void {
  document.addEventListener("dragover", (event) => {
    // Without this call the browser opens the dropped file.
    if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    if (isAnchorPage()) return;
    dropped = files;
    navigate(anchorLink());
  });
}
