import { watch } from "node:fs";

/** Resolves after this many writes to the file, or when the signal aborts. */
export function nextWrite(path: string, times = 1, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    const watcher = watch(path, { signal }, () => {
      if (++seen === times) watcher.close();
    });
    watcher.on("close", () => resolve());
  });
}
