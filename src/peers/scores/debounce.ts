/** Waiting until something has stayed the same for a while. Page 04 §27. */
import type { Cancel, Clock } from "../../interfaces.ts";

/** Hands on the last of several values, once no other came for a time. */
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

  /** Takes the place of the value that waits, and begins the time anew. */
  set(value: T): void {
    this.cancel();
    this.#cancel = this.#clock.after(this.#quietMs, () => {
      this.#cancel = undefined;
      this.#act(value);
    });
  }

  /** Forgets the value that waits, if any. */
  cancel(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
