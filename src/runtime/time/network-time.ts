/** Corrects the node's clock with a time server. Page 03 §8.6. */
import { reasonOf } from "../../bytes/errors.ts";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import type { ClockOffset } from "./corrected-clock.ts";
import { type TimeAnswer, TimeAnswerError } from "./sntp-packet.ts";

const POLL_INTERVAL_MS = 60_000;
const RETRY_DELAY_MS = 10_000;
const MAX_QUICK_RETRIES = 6;
/** Delay after more failures in a row, or if the server asks for fewer requests. */
const BACKOFF_DELAY_MS = 600_000;
export const MAX_OFFSET_MS = 1_000_000;
export const MIN_LOGGED_OFFSET_MS = 100;
/** A larger drift of the machine's clock from the monotonic clock discards earlier answers. */
const MAX_CLOCK_DRIFT_MS = 50;
/** Newest answers to keep; the one with the shortest round trip sets the offset. */
const MAX_ANSWERS = 8;

interface NetworkTimeDependencies {
  /** The machine's uncorrected clock. */
  readonly clock: Clock;
  readonly offset: ClockOffset;
  readonly log: Log;
  readonly server: string;
  ask(): Promise<TimeAnswer>;
}

export class NetworkTime {
  readonly #dependencies: NetworkTimeDependencies;
  readonly #answers: TimeAnswer[] = [];
  #cancel: Cancel = () => {};
  #hasEnded = false;
  #failures = 0;
  /** Machine's clock minus monotonic clock at the newest answer, ms. */
  #clockDifference: number | undefined;
  #loggedOffset = 0;
  #refusedOffsetMs: number | undefined;

  constructor(dependencies: NetworkTimeDependencies) {
    this.#dependencies = dependencies;
  }

  /** The newest offset, ms, if it is too large to correct. */
  get refusedOffsetMs(): number | undefined {
    return this.#refusedOffsetMs;
  }

  /** Resolves after the first answer or failure; never rejects. */
  start(): Promise<void> {
    return this.#poll();
  }

  stop(): void {
    this.#hasEnded = true;
    this.#cancel();
  }

  async #poll(): Promise<void> {
    const { clock, ask } = this.#dependencies;
    let delayMs: number;
    try {
      this.#accept(await ask());
      this.#failures = 0;
      delayMs = POLL_INTERVAL_MS;
    } catch (error) {
      delayMs = this.#recordFailure(error);
    }
    if (this.#hasEnded) return;
    this.#cancel = clock.after(delayMs, () => {
      void this.#poll();
    });
  }

  /** @throws TimeAnswerError if the offset is too large */
  #accept(answer: TimeAnswer): void {
    const { clock, offset } = this.#dependencies;
    const isTooLarge = Math.abs(answer.offsetMs) > MAX_OFFSET_MS;
    this.#refusedOffsetMs = isTooLarge ? answer.offsetMs : undefined;
    if (isTooLarge)
      throw new TimeAnswerError(
        `the answer implies a clock error of ${Math.round(answer.offsetMs / 1_000)} s: at most ${MAX_OFFSET_MS / 1_000} s is accepted`,
      );
    const difference = clock.now() - clock.monotonic();
    if (
      this.#clockDifference !== undefined &&
      Math.abs(difference - this.#clockDifference) > MAX_CLOCK_DRIFT_MS
    )
      this.#answers.length = 0;
    this.#clockDifference = difference;
    this.#answers.push(answer);
    if (this.#answers.length > MAX_ANSWERS) this.#answers.shift();
    const best = this.#answers.reduce((a, b) => (b.delayMs <= a.delayMs ? b : a));
    offset.ms = best.offsetMs;
    this.#logOffset(offset.ms);
  }

  #logOffset(offsetMs: number): void {
    if (Math.abs(offsetMs - this.#loggedOffset) < MIN_LOGGED_OFFSET_MS) return;
    this.#loggedOffset = offsetMs;
    const { log, server } = this.#dependencies;
    log.warn(
      `This machine's clock is ${offsetMs > 0 ? "behind" : "ahead of"} network time: the node corrects it`,
      {
        ms: Math.abs(offsetMs),
        server,
      },
    );
  }

  /** Returns the delay of the next request, ms. */
  #recordFailure(error: unknown): number {
    const { log, server } = this.#dependencies;
    this.#failures++;
    if (this.#failures === 1 && !this.#hasEnded)
      log.warn(`No usable answer from the time server ${server}: the clock correction does not change`, {
        reason: reasonOf(error),
      });
    const isRateLimited = error instanceof TimeAnswerError && error.isRateLimited;
    return isRateLimited || this.#failures > MAX_QUICK_RETRIES ? BACKOFF_DELAY_MS : RETRY_DELAY_MS;
  }
}
