import { type ReadonlySignal, signal } from "@preact/signals";

const TICK_MS = 1_000;

/** Milliseconds since 1970, a new one each second as long as somebody looks at it. */
export const now: ReadonlySignal<number> = (() => {
  let timer: ReturnType<typeof setInterval> | undefined;
  return signal(Date.now(), {
    watched() {
      this.value = Date.now();
      timer = setInterval(() => {
        if (!document.hidden) this.value = Date.now();
      }, TICK_MS);
    },
    unwatched() {
      clearInterval(timer);
    },
  });
})();
