/**
 * Wrong API keys: after ten from one origin, further ones are answered later and later. A right key is compared before
 * any of this, so that guesses neither delay nor lock out whoever has it.
 */
import { isLoopback, originOf } from "../../bytes/ip.ts";
import type { Cancel, Clock } from "../../interfaces.ts";
import type { Sender } from "./proxies.ts";

/** Wrong keys of an origin that are answered at once. */
const FREE_GUESSES = 10;
/** Delay of the first wrong key behind those, ms; twice as long for each further one, up to the longest. */
const FIRST_DELAY_MS = 50;
const MAX_DELAY_MS = 1_000;
/** An origin that has sent no wrong key for so long is forgotten, ms. */
const MEMORY_MS = 600_000;
/** Origins with a count of their own; those that come later share the counts of `SHARED_COUNTS` groups. */
const MAX_ORIGINS = 10_000;
const SHARED_COUNTS = 256;
/** Answers that wait at a time, of one origin and, of 1,024 connections, of all. */
const MAX_WAITING_OF_AN_ORIGIN = 16;
export const MAX_WAITING = 128;

/** Name of the timers of answers that wait. */
export const LATE_ANSWERS = "answers to wrong keys";

interface Guesses {
  count: number;
  /** When the newest came, ms. */
  at: number;
  waiting: number;
}

/** How often which origin was wrong. */
export class KeyGuesses {
  readonly #clock: Pick<Clock, "monotonic" | "after">;
  readonly #maxWaiting: number;
  /** By origin, in the order of the newest wrong key. */
  readonly #origins = new Map<string, Guesses>();
  readonly #release = new Set<() => void>();

  /** @param maxWaiting answers of all origins that wait at a time */
  constructor(clock: Pick<Clock, "monotonic" | "after">, maxWaiting: number = MAX_WAITING) {
    this.#clock = clock;
    this.#maxWaiting = maxWaiting;
  }

  /** Origins that are remembered. */
  get size(): number {
    return this.#origins.size;
  }

  /**
   * Counts a wrong key.
   * @returns undefined when it is to be answered at once; else a promise that resolves when its time has come, which is
   *   at once with false where too many wait: then the connection is to be ended
   */
  wrong(sender: Sender): Promise<boolean> | undefined {
    const guesses = this.#count(sender);
    const further = guesses.count - FREE_GUESSES;
    if (further <= 0) return undefined;
    if (guesses.waiting >= MAX_WAITING_OF_AN_ORIGIN || this.#release.size >= this.#maxWaiting)
      return Promise.resolve(false);
    const delayMs = Math.min(FIRST_DELAY_MS * 2 ** Math.min(further - 1, 10), MAX_DELAY_MS);
    guesses.waiting++;
    return new Promise((resolve) => {
      let cancel: Cancel = () => {};
      const answer = (): void => {
        cancel();
        guesses.waiting--;
        this.#release.delete(answer);
        resolve(true);
      };
      this.#release.add(answer);
      cancel = this.#clock.after(delayMs, answer, LATE_ANSWERS);
    });
  }

  /** Answers everything that waits. */
  close(): void {
    for (const answer of [...this.#release]) answer();
  }

  #count({ address }: Sender): Guesses {
    const now = this.#clock.monotonic();
    this.#forget(now);
    // A machine has millions of loopback addresses.
    const key = this.#keyOf(isLoopback(address) ? "loopback" : originOf(address));
    const guesses = this.#origins.get(key) ?? { count: 0, at: now, waiting: 0 };
    guesses.count++;
    guesses.at = now;
    // Last in the order of the map.
    this.#origins.delete(key);
    this.#origins.set(key, guesses);
    return guesses;
  }

  /** Nobody can have the count of another forgotten by guessing from many addresses. */
  #keyOf(origin: string): string {
    if (this.#origins.has(origin) || this.#origins.size < MAX_ORIGINS) return origin;
    let group = 0;
    for (let i = 0; i < origin.length; i++) group = (Math.imul(31, group) + origin.charCodeAt(i)) >>> 0;
    return `group ${group % SHARED_COUNTS}`;
  }

  #forget(now: number): void {
    for (const [key, { at }] of this.#origins) {
      if (now - at < MEMORY_MS) return;
      this.#origins.delete(key);
    }
  }
}
