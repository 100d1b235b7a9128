import { anchorLink } from "../links.ts";
import { navigate, pageLocation } from "./page-location.ts";

let dropped: readonly File[] = [];

export function takeDroppedFiles(): readonly File[] {
  const files = dropped;
  dropped = [];
  return files;
}

/** These pages have their own drop handlers. */
const handlesFiles = (): boolean => /^(anchor|credential)(\/|$)/.test(pageLocation.value.path);

/** Must be called once. */
export function acceptDroppedFiles(): void {
  document.addEventListener("dragover", (event) => {
    // Otherwise the browser opens the file.
    if (event.dataTransfer?.types.includes("Files") === true) event.preventDefault();
  });
  document.addEventListener("drop", (event) => {
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    if (handlesFiles()) return;
    dropped = files;
    navigate(anchorLink());
  });
}
