/**
 * Delays answers to wrong API keys after the first ten from one origin, up to a maximum. Right keys are never delayed
 * or refused.
 */
import type { Socket } from "node:net";
import { isLoopback, originOf } from "../../bytes/ip.ts";
import { groupOf } from "../../collections/group-of.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import { ConnectionLimit } from "../connections/connection-limit.ts";
import type { Sender } from "./proxies.ts";

const FREE_GUESSES = 10;
/** Delay of the first wrong key after `FREE_GUESSES`, ms; it doubles up to `MAX_DELAY_MS`. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;
/** An origin's count expires this long after its newest wrong key, ms. */
const FORGET_AFTER_MS = 600_000;
/** Above this number, new origins share the counts of `SHARED_COUNTS` groups. */
const MAX_ORIGINS = 10_000;
const SHARED_COUNTS = 256;
const MAX_DELAYED_PER_ORIGIN = 16;
/** Limit for 1,024 connections, scaled to the connection limit. */
const MAX_DELAYED = 128;

export const DELAYED_ANSWERS_TIMER = "answers to wrong keys";

interface Guesses {
  count: number;
  /** Monotonic, ms. */
  newestAt: number;
  delayedCount: number;
}

export class KeyGuesses {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #maxDelayed: number;
  readonly #connections: ConnectionLimit;
  readonly #origins = new Map<string, Guesses>();
  readonly #delayed = new Set<() => void>();

  constructor(
    clock: Pick<Clock, "monotonic" | "after">,
    connections: ConnectionLimit = new ConnectionLimit(),
  ) {
    this.#clock = clock;
    this.#maxDelayed = connections.scaled(MAX_DELAYED);
    this.#connections = connections;
  }

  get size(): number {
    return this.#origins.size;
  }

  /**
   * Counts a wrong key.
   * @returns undefined to answer now, or a promise: true to answer after the delay; false to close the connection,
   * because too many answers are delayed
   */
  countWrongKey(sender: Sender, socket: Socket): Promise<boolean> | undefined {
    const guesses = this.#count(sender);
    const excess = guesses.count - FREE_GUESSES;
    if (excess <= 0) return undefined;
    const hasRoom = this.#delayed.size < this.#maxDelayed && this.#connections.hasLongLivedRoom;
    if (!hasRoom || guesses.delayedCount >= MAX_DELAYED_PER_ORIGIN) return Promise.resolve(false);
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.min(excess - 1, 10), MAX_DELAY_MS);
    guesses.delayedCount++;
    const release = this.#connections.addLongLived(socket);
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const answer = (): void => {
        cancel();
        release();
        guesses.delayedCount--;
        this.#delayed.delete(answer);
        resolve(true);
      };
      this.#delayed.add(answer);
      cancel = this.#clock.after(delayMs, answer, DELAYED_ANSWERS_TIMER);
    });
  }

  close(): void {
    for (const answer of [...this.#delayed]) answer();
  }

  #count({ address }: Sender): Guesses {
    const now = this.#clock.monotonic();
    this.#forget(now);
    // Loopback addresses share one count, because a program can use millions of them.
    const key = this.#keyOf(isLoopback(address) ? "loopback" : originOf(address));
    const guesses = this.#origins.get(key) ?? { count: 0, newestAt: now, delayedCount: 0 };
    guesses.count++;
    guesses.newestAt = now;
    this.#origins.delete(key);
    this.#origins.set(key, guesses);
    return guesses;
  }

  /** Shares counts when the table is full, instead of evicting any. */
  #keyOf(origin: string): string {
    if (this.#origins.has(origin) || this.#origins.size < MAX_ORIGINS) return origin;
    return groupOf(origin, SHARED_COUNTS);
  }

  #forget(now: number): void {
    for (const [key, { newestAt }] of this.#origins) {
      if (now - newestAt < FORGET_AFTER_MS) return;
      this.#origins.delete(key);
    }
  }
}
