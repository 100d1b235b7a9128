/** Time and randomness as the machine has them: what tests replace by a virtual clock and a seed. */
import { randomBytes } from "node:crypto";
import type { Clock, Random } from "../interfaces.ts";

/** Longest delay that a timer of the platform holds, ms; a longer one would fire at once. */
const LONGEST_TIMER = 0x7fff_ffff;

export const systemClock: Clock = {
  now: () => Date.now(),
  after(delayMs, task) {
    const timer = setTimeout(task, Math.min(Math.max(delayMs, 0), LONGEST_TIMER));
    return () => clearTimeout(timer);
  },
};

export const systemRandom: Random = { bytes: (length) => new Uint8Array(randomBytes(length)) };
