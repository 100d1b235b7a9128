import type { Cancel, Clock } from "../interfaces.ts";

/** Gives a log name to a clock's unnamed timers. */
export function namedClock(clock: Clock, name: string): Clock {
  return {
    now: () => clock.now(),
    system: () => clock.system(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task, timerName = name) => clock.after(delayMs, task, timerName),
  };
}

/**
 * Calls `task` every `intervalMs`, even after it throws.
 * @param firstMs delay of the first call; default: `intervalMs`
 */
export function every(
  clock: Pick<Clock, "after">,
  intervalMs: number,
  name: string,
  task: () => void,
  firstMs: number = intervalMs,
): Cancel {
  let cancel: Cancel = () => {};
  const wait = (delayMs: number): void => {
    const run = (): void => {
      // Schedule first, because the task may throw.
      wait(intervalMs);
      task();
    };
    cancel = clock.after(delayMs, run, name);
  };
  wait(firstMs);
  return () => cancel();
}

/** Resolves after `delayMs`, or when `signal` is aborted. */
export function pause(clock: Pick<Clock, "after">, delayMs: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      cancel();
      signal.removeEventListener("abort", end);
      resolve();
    };
    const cancel = clock.after(delayMs, end);
    signal.addEventListener("abort", end, { once: true });
  });
}

/** Repeats a task; `intervalMs` is the time between two runs. */
export function repeat(clock: Pick<Clock, "after">, intervalMs: number, task: () => Promise<void>): Cancel {
  let cancel: Cancel = () => {};
  let isStopped = false;
  const wait = (): void => {
    if (isStopped) return;
    cancel = clock.after(intervalMs, () => {
      task().finally(wait);
    });
  };
  wait();
  return () => {
    isStopped = true;
    cancel();
  };
}

export function cachedFor(
  clock: Pick<Clock, "monotonic">,
  lifetimeMs: number,
  build: () => Promise<string>,
): () => Promise<string> {
  let latest = { at: Number.NEGATIVE_INFINITY, text: Promise.resolve("") };
  return () => {
    const at = clock.monotonic();
    if (at - latest.at >= lifetimeMs) latest = { at, text: build() };
    return latest.text;
  };
}
