/** Files that were dropped on a page that has no use for them, on their way to the one that has. */

let kept: readonly File[] = [];

/** Keeps them until they are taken. */
export function setDroppedFiles(files: readonly File[]): void {
  kept = files;
}

/** What was dropped, once. */
export function takeDroppedFiles(): readonly File[] {
  const files = kept;
  kept = [];
  return files;
}
