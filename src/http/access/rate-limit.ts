/** Limits requests per address and time window. Page 00, part B, 8. */
import { originOf } from "../../bytes/ip.ts";
import { groupOf } from "../../collections/group-of.ts";
import type { Clock } from "../../interfaces.ts";
import type { RateLimit } from "../settings.ts";
import { isLocal, type Sender } from "./proxies.ts";

/** Above this number, new senders share the counts of `SHARED_COUNTS` groups. */
const MAX_SENDERS = 100_000;
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

  #keyOf(sender: string): string {
    if (this.#counts.has(sender) || this.#counts.size < MAX_SENDERS) return sender;
    return groupOf(sender, SHARED_COUNTS);
  }

  /** Counts a request, except of local senders. Returns the seconds to wait above the limit. */
  count(client: Sender): number | undefined {
    if (isLocal(client)) return undefined;
    const now = this.#clock.monotonic();
    if (now >= this.#windowEnd) {
      this.#counts.clear();
      this.#windowEnd = now + this.#limit.windowMs;
    }
    const sender = this.#keyOf(originOf(client.address));
    const count = (this.#counts.get(sender) ?? 0) + 1;
    this.#counts.set(sender, count);
    return count > this.#limit.requests ? Math.ceil((this.#windowEnd - now) / 1_000) : undefined;
  }
}
