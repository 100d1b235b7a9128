import type { Cancel, Clock } from "../interfaces.ts";

/** Wraps a clock to give a log name to its unnamed timers. */
export function namedClock(clock: Clock, name: string): Clock {
  return {
    now: () => clock.now(),
    system: () => clock.system(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task, timerName = name) => clock.after(delayMs, task, timerName),
  };
}

/**
 * Calls `task` every `intervalMs`, even after a call throws.
 * @param firstMs delay of the first call; `intervalMs` by default
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
      // Schedule first, in case the task throws.
      wait(intervalMs);
      task();
    };
    cancel = clock.after(delayMs, run, name);
  };
  wait(firstMs);
  return () => cancel();
}
