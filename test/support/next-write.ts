import { watch } from "node:fs";

/** Resolves as soon as the file was written to so many times, or when the signal gives up on it. */
export function nextWrite(path: string, times = 1, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    let seen = 0;
    const watcher = watch(path, { signal }, () => {
      if (++seen === times) watcher.close();
    });
    watcher.on("close", () => resolve());
  });
}
