import type { Clock } from "../../interfaces.ts";

/** How long something is worked on before whoever else waits for this thread gets a turn, ms. */
const SLICE_MS = 50;

/** Lets everything else that waits have its turn. */
export function yieldToEventLoop(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** Long work in turns of the event loop. */
export class TimeSlice {
  readonly #clock: Clock;
  readonly #check: () => void;
  #since: number;

  /** @param check called when the work goes on: it throws when it is to end */
  constructor(clock: Clock, check: () => void) {
    this.#clock = clock;
    this.#check = check;
    this.#since = clock.monotonic();
  }

  /** Whether others have waited for long enough. */
  get isOver(): boolean {
    return this.#clock.monotonic() - this.#since >= SLICE_MS;
  }

  /** Lets others have their turn, and goes on. */
  async yield(): Promise<void> {
    await this.yieldUnchecked();
    this.#check();
  }

  /** Lets others have their turn: what is asked for is done already. */
  async yieldUnchecked(): Promise<void> {
    await new Promise<void>((resolve) => {
      this.#clock.after(0, resolve);
    });
    this.#since = this.#clock.monotonic();
  }

  /** The work goes on behind a wait for somebody else, in which others had their turn. */
  restart(): void {
    this.#check();
    this.#since = this.#clock.monotonic();
  }
}
