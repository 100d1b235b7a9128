import type { Clock } from "../../interfaces.ts";

/** Maximum time before other code on this thread runs, ms. */
const SLICE_MS = 50;

export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Limits how long work blocks this thread. */
export class TimeSlice {
  readonly #clock: Clock;
  readonly #check: () => void;
  #since: number;

  /** @param check called before work continues; may throw to end it */
  constructor(clock: Clock, check: () => void) {
    this.#clock = clock;
    this.#check = check;
    this.#since = clock.monotonic();
  }

  get isOver(): boolean {
    return this.#clock.monotonic() - this.#since >= SLICE_MS;
  }

  /** @throws what `check` throws */
  async yield(): Promise<void> {
    await this.yieldUnchecked();
    this.#check();
  }

  async yieldUnchecked(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#clock.after(0, resolve);
    });
    this.#since = this.#clock.monotonic();
  }

  /** @throws what `check` throws */
  restart(): void {
    this.#check();
    this.#since = this.#clock.monotonic();
  }
}
