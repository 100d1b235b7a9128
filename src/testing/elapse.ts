import { setImmediate as turn } from "node:timers/promises";
import type { VirtualClock } from "./virtual-clock.ts";

/** Advances a clock by `ms` and lets promises settle after each task. */
export async function elapse(clock: VirtualClock, ms: number): Promise<void> {
  const end = clock.monotonic() + ms;
  await turn();
  while (clock.step(end)) await turn();
  clock.advance(end - clock.monotonic());
}
