import type { Clock } from "../../interfaces.ts";

/** The result returns ever later times in all threads, ms since 1970. @param last shared cell */
export function createIncreasingTime(clock: Clock, last: BigInt64Array): () => bigint {
  return () => {
    const now = BigInt(Math.floor(clock.now()));
    for (;;) {
      const previous = Atomics.load(last, 0);
      const next = now > previous ? now : previous + 1n;
      if (Atomics.compareExchange(last, 0, previous, next) === previous) return next;
    }
  };
}
