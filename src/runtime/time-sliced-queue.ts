/** Work that comes in any amount, done in turns: a while of it, then whatever else waits in this thread. */
import type { Clock } from "../interfaces.ts";

/** How long a turn may last, ms: what timers, signals and blocks wait for at most, but for the item under way. */
const SLICE_MS = 50;

/** Pieces of work in the order in which they came. */
export class TimeSlicedQueue<Item> {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #batchSize: number;
  readonly #work: (items: readonly Item[]) => void;
  readonly #sliceMs: number;
  #waiting: Item[] = [];
  #next = 0;
  #isScheduled = false;

  /**
   * @param batchSize how many items `work` is given at once, at most; the time is looked at behind each call
   * @param work must not throw
   * @param sliceMs how long a turn may last
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
    // Never called with none.
    this.#work = work as (items: readonly Item[]) => void;
  }

  /** A item more: it is never worked off before the caller is done. */
  add(item: Item): void {
    this.#waiting.push(item);
    this.#schedule();
  }

  /** Forgets what waits. */
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

/** Each call resolves in a turn of the event loop of its own, in the order of the calls. */
export function yieldBetween(): () => Promise<void> {
  let last = Promise.resolve();
  return () => {
    last = last.then(() => new Promise((resolve) => setImmediate(resolve)));
    return last;
  };
}

/** A queue of tasks, each worked off by itself. None may throw. */
export type TaskQueue = Pick<TimeSlicedQueue<() => void>, "add">;

/** A queue of tasks for a thread. */
export function createTaskQueue(clock: Pick<Clock, "monotonic">): TaskQueue {
  return new TimeSlicedQueue<() => void>(clock, 1, ([task]) => task());
}
