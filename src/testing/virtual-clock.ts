import { BinaryHeap } from "../collections/binary-heap.ts";
import type { Cancel, Clock } from "../interfaces.ts";

interface Entry {
  readonly at: number;
  readonly serial: number;
  /** Undefined once it has run or was cancelled. */
  task: (() => void) | undefined;
}

/** A clock that moves on demand. Tasks run in order of time, then of scheduling, so runs are reproducible. */
export class VirtualClock implements Clock {
  /** Cancelled entries stay until they are due. */
  readonly #heap = new BinaryHeap<Entry>((one, other) => one.at - other.at || one.serial - other.serial);
  #waiting = 0;
  #serial = 0;
  #time: number;
  /** Offset of `now` to the elapsed time, ms. */
  #ahead = 0;

  /** @param start milliseconds since 1970 */
  constructor(start: number) {
    this.#time = start;
  }

  now(): number {
    // Clocks show whole milliseconds, but tasks may be due in between.
    return Math.floor(this.#time + this.#ahead);
  }

  system(): number {
    return this.now();
  }

  monotonic(): number {
    return this.#time;
  }

  after(delayMs: number, task: () => void): Cancel {
    const entry: Entry = { at: this.#time + Math.max(0, delayMs), serial: this.#serial++, task };
    this.#waiting++;
    this.#heap.push(entry);
    return () => {
      if (entry.task === undefined) return;
      entry.task = undefined;
      this.#waiting--;
    };
  }

  /** Number of pending tasks. */
  get pending(): number {
    return this.#waiting;
  }

  /** Runs the next task and moves to its time. @returns false if none is due by `limit` */
  step(limit = Number.POSITIVE_INFINITY): boolean {
    for (let next = this.#heap.first; next !== undefined; next = this.#heap.first) {
      const { task } = next;
      if (task === undefined) {
        this.#heap.pop();
        continue;
      }
      if (next.at > limit) return false;
      this.#heap.pop();
      next.task = undefined;
      this.#waiting--;
      this.#time = Math.max(this.#time, next.at);
      task();
      return true;
    }
    return false;
  }

  /** Runs everything due within `ms`, and moves the clock by it. */
  advance(ms: number): void {
    const end = this.#time + ms;
    while (this.step(end));
    this.#time = end;
  }

  /** Moves the clock without running anything, as after sleep. */
  jump(to: number): void {
    this.#time = to - this.#ahead;
  }

  /** Sets the displayed time. Pending tasks keep their delays. */
  set(to: number): void {
    this.#ahead = to - this.#time;
  }
}
