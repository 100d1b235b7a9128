import type { Clock } from "../interfaces.ts";

const SLICE_MS = 50;

/** Works on batches of items, and lets the thread handle events in between. */
export class TimeSlicedQueue<Item> {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #batchSize: number;
  readonly #work: (items: readonly Item[]) => void;
  readonly #sliceMs: number;
  #waiting: Item[] = [];
  #next = 0;
  #isScheduled = false;

  /**
   * @param batchSize maximum items per call of `work`
   * @param work must not throw
   */
  constructor(
    clock: Pick<Clock, "monotonic">,
    batchSize: number,
    work: (items: readonly [Item, ...Item[]]) => void,
    sliceMs: number = SLICE_MS,
  ) {
    this.#sliceMs = sliceMs;
    this.#clock = clock;
    this.#batchSize = batchSize;
    // Safe cast: no batch is empty.
    this.#work = work as (items: readonly Item[]) => void;
  }

  add(item: Item): void {
    this.#waiting.push(item);
    this.#schedule();
  }

  clear(): void {
    this.#waiting = [];
    this.#next = 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.#runSlice();
    });
  }

  #runSlice(): void {
    const start = this.#clock.monotonic();
    while (this.#next < this.#waiting.length) {
      const items = this.#waiting.slice(this.#next, this.#next + this.#batchSize);
      this.#next += items.length;
      this.#work(items);
      if (this.#clock.monotonic() - start >= this.#sliceMs) break;
    }
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
    if (this.#waiting.length > 0) this.#schedule();
  }
}

/** Returns a function whose promises resolve in order, each in its own turn of the event loop. */
export function yieldBetween(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}

/** A queue of functions, which must not throw. */
export type TaskQueue = Pick<TimeSlicedQueue<() => void>, "add">;

export function createTaskQueue(clock: Pick<Clock, "monotonic">): TaskQueue {
  return new TimeSlicedQueue<() => void>(clock, 1, ([task]) => task());
}
