/** A file that is dropped on any page is looked for on the chain: the page of anchors takes it. */

import { anchorLink } from "../links.ts";
import { navigate, pageLocation } from "./page-location.ts";

let dropped: readonly File[] = [];

/** The files that were dropped on another page, once. */
export function takeDroppedFiles(): readonly File[] {
  const files = dropped;
  dropped = [];
  return files;
}

/** The page of anchors takes what is dropped on it by itself. */
const takesThem = (): boolean => /^anchor(\/|$)/.test(pageLocation.value.path);

/** To be called once. */
export function acceptDroppedFiles(): void {
  document.addEventListener("dragover", (event) => {
    // Else the browser would leave the page to show the file.
    if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    if (takesThem()) return;
    dropped = files;
    navigate(anchorLink());
  });
}
