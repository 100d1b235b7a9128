/** Telling peers the score of our chain. Page 04 §10.1. */
import type { Clock } from "../../interfaces.ts";
import { Debounce } from "./debounce.ts";

/** Tells a score once it has stayed the same for a while: nothing is told while blocks come one upon the other. */
export class ScoreAnnouncer {
  readonly #debounce: Debounce<bigint>;
  readonly #tell: (score: bigint) => void;
  #ended = false;

  /**
   * @param quietMs how long a score must stay the same, ms
   * @param tell sends a score to all peers
   */
  constructor(clock: Clock, quietMs: number, tell: (score: bigint) => void) {
    this.#tell = tell;
    this.#debounce = new Debounce<bigint>(clock, quietMs, tell);
  }

  /** Our chain has another score. */
  localChanged(score: bigint): void {
    if (!this.#ended) this.#debounce.set(score);
  }

  /** Tells a score without waiting: after a rollback or a checkpoint that was asked for over the API. */
  tellNow(score: bigint): void {
    this.#debounce.cancel();
    if (!this.#ended) this.#tell(score);
  }

  /** Tells nothing any more: nobody would get what it asks for. */
  end(): void {
    this.#ended = true;
    this.#debounce.cancel();
  }
}
