import type { Cancel, Clock } from "../../interfaces.ts";

/** Calls `act` with the last value when no other value came for `quietMs`. Page 04 §27. */
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
