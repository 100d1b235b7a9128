/** Work that comes in any amount, done in turns: a while of it, then whatever else waits in this thread. */
import type { Clock } from "../interfaces.ts";

/** How long a turn may last, ms: what timers, signals and blocks wait for at most, but for the piece under way. */
const SLICE_MS = 50;

/** Pieces of work in the order in which they came. */
export class TimeSlicedQueue<Piece> {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #together: number;
  readonly #work: (pieces: readonly Piece[]) => void;
  readonly #turnMs: number;
  #waiting: Piece[] = [];
  #next = 0;
  #isDue = false;

  /**
   * @param together how many pieces `work` is given at once, at most; the time is looked at behind each call
   * @param work must not throw
   * @param turnMs how long a turn may last
   */
  constructor(
    clock: Pick<Clock, "monotonic">,
    together: number,
    work: (pieces: readonly [Piece, ...Piece[]]) => void,
    turnMs: number = SLICE_MS,
  ) {
    this.#turnMs = turnMs;
    this.#clock = clock;
    this.#together = together;
    // Never called with none.
    this.#work = work as (pieces: readonly Piece[]) => void;
  }

  /** A piece more: it is never worked off before the caller is done. */
  add(piece: Piece): void {
    this.#waiting.push(piece);
    this.#await();
  }

  /** Forgets what waits. */
  clear(): void {
    this.#waiting = [];
    this.#next = 0;
  }

  #await(): void {
    if (this.#isDue) return;
    this.#isDue = true;
    setImmediate(() => {
      this.#isDue = false;
      this.#turn();
    });
  }

  #turn(): void {
    const start = this.#clock.monotonic();
    while (this.#next < this.#waiting.length) {
      const pieces = this.#waiting.slice(this.#next, this.#next + this.#together);
      this.#next += pieces.length;
      this.#work(pieces);
      if (this.#clock.monotonic() - start >= this.#turnMs) break;
    }
    this.#waiting = this.#waiting.slice(this.#next);
    this.#next = 0;
    if (this.#waiting.length > 0) this.#await();
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
