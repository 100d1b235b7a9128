/** Delays answers to wrong API keys after the first ten from an origin. Right keys are never delayed or refused. */
import type { Socket } from "node:net";
import { isLoopback, originOf } from "../../bytes/ip.ts";
import { groupOf } from "../../collections/group-of.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import { OriginSlots } from "../../runtime/origin-slots.ts";
import { ConnectionLimit } from "../connections/connection-limit.ts";
import { GUESSER_GROUPS, type HttpCounts, localHttpCounts, MAX_GUESSERS } from "../counts.ts";
import type { Sender } from "./proxies.ts";

const FREE_GUESSES = 10;
/** Delay of the first wrong key after `FREE_GUESSES`, ms; doubles up to `MAX_DELAY_MS`. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;
const FORGET_AFTER_MS = 600_000;
const SWEEP_INTERVAL_MS = 60_000;
/** Sweep interval while the table is full. */
const FULL_SWEEP_INTERVAL_MS = 1_000;
const MAX_DELAYED_PER_ORIGIN = 16;
/** Limit for 1,024 connections, scaled to the connection limit. */
const MAX_DELAYED = 128;

export const DELAYED_ANSWERS_TIMER = "answers to wrong keys";

export class KeyGuesses {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #connections: ConnectionLimit;
  readonly #counts: HttpCounts;
  readonly #slots: OriginSlots;
  readonly #delayed = new Set<() => void>();
  #sweptAt: number;

  constructor(
    clock: Pick<Clock, "monotonic" | "after">,
    connections: ConnectionLimit = new ConnectionLimit(),
    counts: HttpCounts = localHttpCounts(),
  ) {
    this.#clock = clock;
    this.#connections = connections;
    this.#counts = counts;
    const { delayed, runExclusively } = counts;
    this.#slots = new OriginSlots(
      connections.scaled(MAX_DELAYED),
      MAX_DELAYED_PER_ORIGIN,
      delayed,
      runExclusively,
    );
    this.#sweptAt = clock.monotonic();
  }

  get size(): number {
    return this.#counts.guesses.size;
  }

  /**
   * Counts a wrong key.
   * @returns undefined to answer now; otherwise a promise: true after the delay, false at once if too many answers are
   *   delayed
   */
  countWrongKey({ address }: Sender, socket: Socket): Promise<boolean> | undefined {
    // Loopback addresses share one count: a program can use millions of them.
    const origin = isLoopback(address) ? "loopback" : originOf(address);
    const excess = this.#counts.runExclusively(() => this.#increment(origin)) - FREE_GUESSES;
    if (excess <= 0) return undefined;
    const releaseSlot = this.#connections.hasLongLivedRoom ? this.#slots.take(origin) : undefined;
    if (releaseSlot === undefined) return Promise.resolve(false);
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.min(excess - 1, 10), MAX_DELAY_MS);
    const release = this.#connections.addLongLived(socket);
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const answer = (): void => {
        cancel();
        release();
        releaseSlot();
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

  #increment(origin: string): number {
    const { guesses, newestGuess } = this.#counts;
    const now = this.#clock.monotonic();
    this.#sweep(now);
    // In a full table, new origins share counts in groups; no count is evicted.
    const key = guesses.has(origin) || guesses.size < MAX_GUESSERS ? origin : groupOf(origin, GUESSER_GROUPS);
    const isForgotten = now - (newestGuess.get(key) ?? now) >= FORGET_AFTER_MS;
    const count = isForgotten ? 1 : (guesses.get(key) ?? 0) + 1;
    guesses.set(key, count);
    newestGuess.set(key, now);
    return count;
  }

  #sweep(now: number): void {
    const { guesses, newestGuess } = this.#counts;
    const intervalMs = guesses.size < MAX_GUESSERS ? SWEEP_INTERVAL_MS : FULL_SWEEP_INTERVAL_MS;
    if (now - this.#sweptAt < intervalMs) return;
    this.#sweptAt = now;
    const expired = [...newestGuess.entries()].filter(([, newestAt]) => now - newestAt >= FORGET_AFTER_MS);
    for (const [key] of expired) {
      guesses.delete(key);
      newestGuess.delete(key);
    }
  }
}
