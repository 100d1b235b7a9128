import { type ReadonlySignal, type Signal, signal } from "@preact/signals";

const TICK_MS = 1_000;

const current: Signal<number> = (() => {
  let timer: ReturnType<typeof setInterval> | undefined;
  return signal(Date.now(), {
    watched() {
      this.value = Date.now();
      // The node renders a page at once.
      if (typeof document === "undefined") return;
      timer = setInterval(() => {
        if (!document.hidden) this.value = Date.now();
      }, TICK_MS);
    },
    unwatched() {
      clearInterval(timer);
    },
  });
})();

/** The time in ms since 1970, updated every second while the signal has subscribers. */
export const now: ReadonlySignal<number> = current;

/** For the node: a page that cannot be rendered leaves subscribers. */
export function updateNow(): void {
  current.value = Date.now();
}
