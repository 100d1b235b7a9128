import { BinaryHeap } from "../collections/binary-heap.ts";
import type { Cancel, Clock } from "../interfaces.ts";

interface Entry {
  readonly at: number;
  readonly serial: number;
  /** Undefined once it has run or was cancelled. */
  task: (() => void) | undefined;
}

/**
 * A clock that moves only when told to. Tasks run in the order of their time, equal times in the order in
 * which they were scheduled, so that a run with the same inputs is the same run.
 */
export class VirtualClock implements Clock {
  /** A heap: the next entry stands first. Cancelled ones leave it when their time has come. */
  readonly #heap = new BinaryHeap<Entry>((one, other) => one.at - other.at || one.serial - other.serial);
  #waiting = 0;
  #serial = 0;
  #time: number;
  /** What the clock shows more than the time that has passed. */
  #ahead = 0;

  /** @param start milliseconds since 1970 */
  constructor(start: number) {
    this.#time = start;
  }

  now(): number {
    // Whole milliseconds, as clocks show them; what is due may be so in between.
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

  /** Tasks that wait for their time. */
  get pending(): number {
    return this.#waiting;
  }

  /** Runs the next task, moving to its time; false when none waits or it is due after `limit`. */
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

  /** Runs everything that falls due within the next `ms` milliseconds and leaves the clock at their end. */
  advance(ms: number): void {
    const end = this.#time + ms;
    while (this.step(end));
    this.#time = end;
  }

  /** Moves the clock without running anything: a machine that slept. */
  jump(to: number): void {
    this.#time = to - this.#ahead;
  }

  /** Lets the clock show another time, as when somebody sets it: what waits goes on waiting as long as before. */
  set(to: number): void {
    this.#ahead = to - this.#time;
  }
}
