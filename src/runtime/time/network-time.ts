/** Keeps the offset of the clock up to date. Page 03 §8.6. */
import { reasonOf } from "../../bytes/errors.ts";
import type { Cancel, Clock, Log } from "../../interfaces.ts";
import type { ClockOffset } from "./corrected-clock.ts";
import { type TimeAnswer, TimeAnswerError } from "./sntp-packet.ts";

/** From one answer to the next question, and from a failure, ms. */
const POLL_INTERVAL_MS = 60_000;
const RETRY_DELAY_MS = 10_000;
/** From a failure behind many others, or when the server wants to be left alone, ms. */
const BACKOFF_DELAY_MS = 600_000;
const MAX_QUICK_RETRIES = 6;
/** An offset above this is refused, ms. */
const MAX_OFFSET_MS = 1_000_000;
/** An offset that an operator should know of: blocks may lie 100 ms in the future, and no more. */
const MIN_LOGGED_OFFSET_MS = 100;
/** What the machine's clock may run apart from the time that passes before earlier answers say nothing of it any more. */
const MAX_CLOCK_DRIFT_MS = 50;
/** So many answers are remembered: the one that was under way the shortest counts. */
const MAX_ANSWERS = 8;

interface NetworkTimeDependencies {
  /** The machine's own, not corrected. */
  readonly clock: Clock;
  readonly offset: ClockOffset;
  readonly log: Log;
  /** Name of the server, for the log. */
  readonly server: string;
  /** Asks it. */
  ask(): Promise<TimeAnswer>;
}

/** Asks a time server from time to time. Whatever it says, nothing but the offset depends on it. */
export class NetworkTime {
  readonly #dependencies: NetworkTimeDependencies;
  readonly #answers: TimeAnswer[] = [];
  #cancel: Cancel = () => {};
  #ended = false;
  #failures = 0;
  /** What the machine's clock shows more than the time that passes, when the newest answer came. */
  #ahead: number | undefined;
  #loggedOffset = 0;

  constructor(dependencies: NetworkTimeDependencies) {
    this.#dependencies = dependencies;
  }

  /** Asks now, and from time to time. The promise resolves when the first answer or failure is there; never rejects. */
  start(): Promise<void> {
    return this.#poll();
  }

  stop(): void {
    this.#ended = true;
    this.#cancel();
  }

  async #poll(): Promise<void> {
    const { clock, ask } = this.#dependencies;
    let wait: number;
    try {
      this.#accept(await ask());
      this.#failures = 0;
      wait = POLL_INTERVAL_MS;
    } catch (error) {
      wait = this.#failed(error);
    }
    if (this.#ended) return;
    this.#cancel = clock.after(wait, () => {
      void this.#poll();
    });
  }

  /** @throws TimeAnswerError for an offset that cannot be meant */
  #accept(answer: TimeAnswer): void {
    const { clock, offset } = this.#dependencies;
    if (Math.abs(answer.offsetMs) > MAX_OFFSET_MS)
      throw new TimeAnswerError(
        `it says that this machine's clock is wrong by ${Math.round(answer.offsetMs / 1_000)} s: too much to be believed`,
      );
    const ahead = clock.now() - clock.monotonic();
    if (this.#ahead !== undefined && Math.abs(ahead - this.#ahead) > MAX_CLOCK_DRIFT_MS)
      this.#answers.length = 0;
    this.#ahead = ahead;
    this.#answers.push(answer);
    if (this.#answers.length > MAX_ANSWERS) this.#answers.shift();
    const best = this.#answers.reduce((one, other) => (other.delayMs <= one.delayMs ? other : one));
    offset.ms = best.offsetMs;
    this.#logOffset(offset.ms);
  }

  /** Says an offset that matters, and when it has changed so much. */
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

  /** Says the first of several failures. @returns how long to wait */
  #failed(error: unknown): number {
    const { log, server } = this.#dependencies;
    this.#failures++;
    if (this.#failures === 1 && !this.#ended)
      log.warn(`The time server ${server} does not help: the clock stays as it is`, {
        reason: reasonOf(error),
      });
    const isRefused = error instanceof TimeAnswerError && error.refused;
    return isRefused || this.#failures > MAX_QUICK_RETRIES ? BACKOFF_DELAY_MS : RETRY_DELAY_MS;
  }
}
