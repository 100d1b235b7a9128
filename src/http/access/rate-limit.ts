/** How many requests an address may send in a window of time. Page 00, part B, 8. */
import { originOf } from "../../bytes/ip.ts";
import { groupOf } from "../../collections/group-of.ts";
import type { Clock } from "../../interfaces.ts";
import type { RateLimit } from "../settings.ts";
import { isLocal, type Sender } from "./proxies.ts";

/** Senders with a count of their own; those that come later in a window share the counts of `SHARED` groups. */
const MAX_SENDERS = 100_000;
const SHARED_COUNTS = 4_096;

/** Counts requests in windows that all addresses share. */
export class RateLimiter {
  readonly #limit: RateLimit;
  readonly #clock: Clock;
  readonly #counts = new Map<string, number>();
  #windowEnd = 0;

  constructor(limit: RateLimit, clock: Clock) {
    this.#limit = limit;
    this.#clock = clock;
  }

  /** Who a sender is counted as: nobody can have the count of another forgotten by sending from many addresses. */
  #keyOf(sender: string): string {
    if (this.#counts.has(sender) || this.#counts.size < MAX_SENDERS) return sender;
    return groupOf(sender, SHARED_COUNTS);
  }

  /**
   * Counts a request; how many seconds its sender has to wait when there were too many, else undefined. Who talks to the
   * node from this machine is not counted.
   */
  count(from: Sender): number | undefined {
    if (isLocal(from)) return undefined;
    const now = this.#clock.monotonic();
    if (now >= this.#windowEnd) {
      this.#counts.clear();
      this.#windowEnd = now + this.#limit.windowMs;
    }
    const sender = this.#keyOf(originOf(from.address));
    const count = (this.#counts.get(sender) ?? 0) + 1;
    this.#counts.set(sender, count);
    return count > this.#limit.requests ? Math.ceil((this.#windowEnd - now) / 1_000) : undefined;
  }
}
