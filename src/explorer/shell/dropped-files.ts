import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { anchorLink } from "../links.ts";
import { navigate, pageLocation } from "./page-location.ts";

let dropped: readonly File[] = [];

function takeDroppedFiles(): readonly File[] {
  const files = dropped;
  dropped = [];
  return files;
}

const handlesFiles = (): boolean => /^(anchor|credential)(\/|$)/.test(pageLocation.value.path);

/** Opens the page that checks dropped files. Must be called once. */
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

/**
 * Handles files dropped on this page, or earlier on another one.
 * @returns a signal, true while files are dragged over the window
 */
export function useFileDrop(onFiles: (files: readonly File[]) => void): Signal<boolean> {
  const isDragging = useSignal(false);
  const handler = useRef(onFiles);
  handler.current = onFiles;
  useEffect(() => {
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes("Files") === true;
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return;
      event.preventDefault();
      isDragging.value = true;
    };
    const leave = (event: DragEvent): void => {
      // The pointer has left the window, not only an element.
      if (event.relatedTarget === null) isDragging.value = false;
    };
    const drop = (event: DragEvent): void => {
      isDragging.value = false;
      if (!hasFiles(event)) return;
      event.preventDefault();
      handler.current([...(event.dataTransfer?.files ?? [])]);
    };
    const droppedEarlier = takeDroppedFiles();
    if (droppedEarlier.length > 0) handler.current(droppedEarlier);
    const listeners = new AbortController();
    const { signal } = listeners;
    document.addEventListener("dragover", over, { signal });
    document.addEventListener("dragleave", leave, { signal });
    document.addEventListener("drop", drop, { signal });
    return () => listeners.abort();
  }, []);
  return isDragging;
}
