/** Page 03 §8.6. */
import type { Clock } from "../../interfaces.ts";

/** Error of the machine's clock, shared by all threads. */
export class ClockOffset {
  readonly shared: SharedArrayBuffer;
  readonly #cell: BigInt64Array;

  constructor(shared: SharedArrayBuffer = new SharedArrayBuffer(BigInt64Array.BYTES_PER_ELEMENT)) {
    this.shared = shared;
    this.#cell = new BigInt64Array(shared);
  }

  /** Whole ms to add to the machine's clock. */
  get ms(): number {
    return Number(Atomics.load(this.#cell, 0));
  }

  set ms(offset: number) {
    Atomics.store(this.#cell, 0, BigInt(Math.round(offset)));
  }
}

export function correctedClock(clock: Clock, offset: ClockOffset): Clock {
  return {
    now: () => clock.now() + offset.ms,
    system: () => clock.system(),
    monotonic: () => clock.monotonic(),
    after: (delayMs, task, name) => clock.after(delayMs, task, name),
  };
}
