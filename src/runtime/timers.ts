/** Names for timers, and timers that go on. */
import type { Cancel, Clock } from "../interfaces.ts";

/** The same clock for one part of the node: its timers have the name of the part, in the log for example. */
export function namedClock(clock: Clock, name: string): Clock {
  return {
    now: () => clock.now(),
    system: () => clock.system(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task, own = name) => clock.after(delayMs, task, own),
  };
}

/**
 * Calls `task` again and again, `intervalMs` after the call before, and goes on when one of them throws.
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
      // First the next call: a task that throws must not be the last one.
      wait(intervalMs);
      task();
    };
    cancel = clock.after(delayMs, run, name);
  };
  wait(firstMs);
  return () => cancel();
}
