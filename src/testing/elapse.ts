import { setImmediate as turn } from "node:timers/promises";
import type { VirtualClock } from "./virtual-clock.ts";

/**
 * Lets time go by where promises wait for it, too: runs what falls due within the next milliseconds and what follows from
 * that, and leaves the clock at their end.
 */
export async function elapse(clock: VirtualClock, ms: number): Promise<void> {
  const end = clock.monotonic() + ms;
  await turn();
  while (clock.step(end)) await turn();
  clock.advance(end - clock.monotonic());
}
