/** Files dropped on any page open the anchor page. */

import { anchorLink } from "../links.ts";
import { navigate, pageLocation } from "./page-location.ts";

let dropped: readonly File[] = [];

/** Returns the files once. */
export function takeDroppedFiles(): readonly File[] {
  const files = dropped;
  dropped = [];
  return files;
}

/** The anchor page handles its own drops. */
const takesThem = (): boolean => /^anchor(\/|$)/.test(pageLocation.value.path);

/** Call it once. */
export function acceptDroppedFiles(): void {
  document.addEventListener("dragover", (event) => {
    // The browser would open the file.
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
