import type { Cancel, Clock } from "../interfaces.ts";

interface Entry {
  readonly at: number;
  readonly serial: number;
  readonly task: () => void;
}

/**
 * A clock that moves only when told to. Tasks run in the order of their time, equal times in the order in
 * which they were scheduled, so that a run with the same inputs is the same run.
 */
export class VirtualClock implements Clock {
  private entries: Entry[] = [];
  private serial = 0;
  private time: number;
  /** What the clock shows more than the time that has passed. */
  private ahead = 0;

  /** @param start milliseconds since 1970 */
  constructor(start: number) {
    this.time = start;
  }

  now(): number {
    return this.time + this.ahead;
  }

  monotonic(): number {
    return this.time;
  }

  after(delayMs: number, task: () => void): Cancel {
    const entry: Entry = { at: this.time + Math.max(0, delayMs), serial: this.serial++, task };
    this.entries.push(entry);
    return () => {
      this.entries = this.entries.filter((other) => other !== entry);
    };
  }

  /** Tasks that wait for their time. */
  get pending(): number {
    return this.entries.length;
  }

  /** Runs the next task, moving to its time; false when none waits or it is due after `limit`. */
  step(limit = Number.POSITIVE_INFINITY): boolean {
    let next: Entry | undefined;
    for (const entry of this.entries) {
      if (next === undefined || entry.at < next.at || (entry.at === next.at && entry.serial < next.serial))
        next = entry;
    }
    if (next === undefined || next.at > limit) return false;
    const due = next;
    this.entries = this.entries.filter((entry) => entry !== due);
    this.time = Math.max(this.time, due.at);
    due.task();
    return true;
  }

  /** Runs everything that falls due within the next `ms` milliseconds and leaves the clock at their end. */
  advance(ms: number): void {
    const end = this.time + ms;
    while (this.step(end));
    this.time = end;
  }

  /** Moves the clock without running anything: a machine that slept. */
  jump(to: number): void {
    this.time = to - this.ahead;
  }

  /** Lets the clock show another time, as when somebody sets it: what waits goes on waiting as long as before. */
  set(to: number): void {
    this.ahead = to - this.time;
  }
}
