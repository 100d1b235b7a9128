import type { Cancel, Clock } from "../interfaces.ts";

/** Names the timers of a part of the node, for the log. */
export function namedClock(clock: Clock, name: string): Clock {
  return {
    now: () => clock.now(),
    system: () => clock.system(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task, own = name) => clock.after(delayMs, task, own),
  };
}

/**
 * Calls `task` every `intervalMs`, and continues when a call throws.
 * @param firstMs delay of the first call; the interval by default
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
      // Schedule first, so that a task that throws is called again.
      wait(intervalMs);
      task();
    };
    cancel = clock.after(delayMs, run, name);
  };
  wait(firstMs);
  return () => cancel();
}
