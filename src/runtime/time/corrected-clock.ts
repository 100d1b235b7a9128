/** The machine's clock, put right by what time servers say. Page 03 §8.6. */
import type { Clock } from "../../interfaces.ts";

/** What is added to the machine's clock, ms; threads share it. */
export class ClockOffset {
  /** What crosses to other threads. */
  readonly shared: SharedArrayBuffer;
  readonly #cell: BigInt64Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#cell = new BigInt64Array(shared);
  }

  /** Whole milliseconds. */
  get ms(): number {
    return Number(Atomics.load(this.#cell, 0));
  }

  set ms(offset: number) {
    Atomics.store(this.#cell, 0, BigInt(Math.round(offset)));
  }
}

/** A clock that shows the time of `clock` and the offset as it is. */
export function correctedClock(clock: Clock, offset: ClockOffset): Clock {
  return {
    now: () => clock.now() + offset.ms,
    system: () => clock.system(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task, name) => clock.after(delayMs, task, name),
  };
}
