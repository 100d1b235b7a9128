import { type ReadonlySignal, signal, untracked, useSignalEffect } from "@preact/signals";
import { anchorLink } from "../links.ts";
import { navigate, pageLocation } from "./page-location.ts";

/** Files that were dropped on any page and not handled yet. */
const dropped = signal<readonly File[]>([]);
/** True while files are dragged over the window. */
const isDragging = signal(false);

const handlesFiles = (): boolean => /^(anchor|credential)(\/|$)/.test(pageLocation.value.path);

/** Opens the page that checks dropped files. Must be called once. */
export function acceptDroppedFiles(): void {
  document.addEventListener("dragover", (event) => {
    if (event.dataTransfer?.types.includes("Files") !== true) return;
    // Otherwise the browser opens the file.
    event.preventDefault();
    isDragging.value = true;
  });
  document.addEventListener("dragleave", (event) => {
    // The pointer has left the window, not only an element.
    if (event.relatedTarget === null) isDragging.value = false;
  });
  document.addEventListener("drop", (event) => {
    isDragging.value = false;
    const files = [...(event.dataTransfer?.files ?? [])];
    if (files.length === 0) return;
    event.preventDefault();
    dropped.value = files;
    if (!handlesFiles()) navigate(anchorLink());
  });
}

/**
 * Handles files dropped on this page, or earlier on another one.
 * @returns a signal, true while files are dragged over the window
 */
export function useFileDrop(onFiles: (files: readonly File[]) => void): ReadonlySignal<boolean> {
  useSignalEffect(() => {
    const files = dropped.value;
    if (files.length === 0) return;
    dropped.value = [];
    untracked(() => onFiles(files));
  });
  return isDragging;
}
