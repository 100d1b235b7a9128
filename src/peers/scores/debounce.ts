import type { Cancel, Clock } from "../../interfaces.ts";

/** Debounces values: calls `act` with the last one after a quiet time. Page 04 §27. */
export class Debounce<T> {
  readonly #clock: Clock;
  readonly #quietMs: number;
  readonly #act: (value: T) => void;
  #cancel: Cancel | undefined;

  constructor(clock: Clock, quietMs: number, act: (value: T) => void) {
    this.#clock = clock;
    this.#quietMs = quietMs;
    this.#act = act;
  }

  /** Replaces the pending value and restarts the timer. */
  set(value: T): void {
    this.cancel();
    this.#cancel = this.#clock.after(this.#quietMs, () => {
      this.#cancel = undefined;
      this.#act(value);
    });
  }

  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
