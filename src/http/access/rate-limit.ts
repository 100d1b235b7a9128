import { originOf } from "../../bytes/ip.ts";
import { groupOf } from "../../collections/group-of.ts";
import type { Clock } from "../../interfaces.ts";
import { type HttpCounts, localHttpCounts, MAX_SENDERS, SENDER_GROUPS } from "../counts.ts";
import type { RateLimit } from "../settings.ts";
import { isLocal, type Sender } from "./proxies.ts";

type RateCounts = Pick<HttpCounts, "senders" | "windowEnd" | "runExclusively">;

/** Page 00, part B, 8. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  readonly #counts: RateCounts;

  constructor(limit: RateLimit, clock: Clock, counts: RateCounts = localHttpCounts()) {
    this.#limit = limit;
    this.#clock = clock;
    this.#counts = counts;
  }

  #keyOf(origin: string): string {
    const { senders } = this.#counts;
    if (senders.has(origin) || senders.size < MAX_SENDERS) return origin;
    return groupOf(origin, SENDER_GROUPS);
  }

  /** Counts a request. Above the limit, returns the seconds to wait. Ignores local senders. */
  count(sender: Sender): number | undefined {
    if (isLocal(sender)) return undefined;
    const { requests, windowMs } = this.#limit;
    const { senders, windowEnd, runExclusively } = this.#counts;
    const now = this.#clock.monotonic();
    const origin = originOf(sender.address);
    return runExclusively(() => {
      if (now >= windowEnd[0]) {
        senders.clear();
        windowEnd[0] = now + windowMs;
      }
      const key = this.#keyOf(origin);
      const count = (senders.get(key) ?? 0) + 1;
      senders.set(key, count);
      return count > requests ? Math.ceil((windowEnd[0] - now) / 1_000) : undefined;
    });
  }
}
