/** Limits requests per origin and time window. Page 00, part B, 8. */
import { originOf } from "../../bytes/ip.ts";
import { groupOf } from "../../collections/group-of.ts";
import type { Clock } from "../../interfaces.ts";
import type { RateLimit } from "../settings.ts";
import { isLocal, type Sender } from "./proxies.ts";

/** Above this number, new origins share the counts of `SHARED_COUNTS` groups. */
const MAX_ORIGINS = 100_000;
const SHARED_COUNTS = 4_096;

export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  #windowEnd = 0;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  #keyOf(origin: string): string {
    if (this.#counts.has(origin) || this.#counts.size < MAX_ORIGINS) return origin;
    return groupOf(origin, SHARED_COUNTS);
  }

  /** Above the limit, returns the seconds to wait. Ignores local senders. */
  count(sender: Sender): number | undefined {
    if (isLocal(sender)) return undefined;
    const now = this.#clock.monotonic();
    if (now >= this.#windowEnd) {
      this.#counts.clear();
      this.#windowEnd = now + this.#limit.windowMs;
    }
    const key = this.#keyOf(originOf(sender.address));
    const count = (this.#counts.get(key) ?? 0) + 1;
    this.#counts.set(key, count);
    return count > this.#limit.requests ? Math.ceil((this.#windowEnd - now) / 1_000) : undefined;
  }
}
