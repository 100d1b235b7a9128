/**
 * Runs timers, listeners and streams; logs and counts their errors. After any error but a machine fault, the node shuts
 * down cleanly.
 */
import { reasonOf } from "../bytes/errors.ts";
import type { Clock, Log } from "../interfaces.ts";
import { machineFaultOf } from "./machine-fault.ts";

const MIN_LOG_INTERVAL_MS = 10_000;
const MAX_LOGGED_NAMES = 1_000;

export class BrokenInvariantError extends Error {
  override readonly name = "BrokenInvariantError";

  constructor(taskName: string, cause: unknown) {
    super(
      `The node stopped because of a bug in "${taskName}": ${reasonOf(cause)}. ` +
        "The chain is intact. Start the node again, and report the bug with the log",
      { cause },
    );
  }
}

/** Counts since the node started. */
interface FailureCounts {
  readonly machine: number;
  readonly broken: number;
}

interface LoggedLine {
  /** Monotonic time of the line, ms. */
  at: number;
  /** Number of later faults not logged. */
  omitted: number;
}

export class Supervisor {
  readonly #log: Log;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #logged = new Map<string, LoggedLine>();
  #machineFaultCount = 0;
  #brokenCount = 0;
  #firstBroken: BrokenInvariantError | undefined;
  readonly #onBroken: ((error: BrokenInvariantError) => void)[] = [];

  constructor(log: Log, clock: Pick<Clock, "monotonic">) {
    this.#log = log;
    this.#clock = clock;
  }

  get failures(): FailureCounts {
    return { machine: this.#machineFaultCount, broken: this.#brokenCount };
  }

  /** Calls a listener, which must not throw, at the first error that is not a machine fault. */
  onBroken(listener: (error: BrokenInvariantError) => void): void {
    this.#onBroken.push(listener);
    if (this.#firstBroken !== undefined) listener(this.#firstBroken);
  }

  /** Logs and counts an error of the task `name`. Never throws. */
  failed(name: string, error: unknown, fields: Readonly<Record<string, unknown>> = {}): void {
    const fault = machineFaultOf(error);
    if (fault !== undefined) {
      this.#machineFailed(name, error, fault, fields);
      return;
    }
    this.#brokenCount++;
    this.#log.error(`Fault of the node in "${name}": the node stops`, { error, ...fields });
    if (this.#firstBroken !== undefined) return;
    this.#firstBroken = new BrokenInvariantError(name, error);
    for (const listener of this.#onBroken) listener(this.#firstBroken);
  }

  /** Logs and counts any error as a machine fault. Never throws. */
  machineFailed(name: string, error: unknown): void {
    this.#machineFailed(name, error, machineFaultOf(error) ?? "other");
  }

  /** Passes errors of `task` to `failed`. Never throws. */
  run(name: string, task: () => unknown): void {
    try {
      const result = task();
      if (result instanceof Promise) result.catch((error: unknown) => this.failed(name, error));
    } catch (error) {
      this.failed(name, error);
    }
  }

  /** Returns a clock that runs its timers with `run`. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      system: () => clock.system(),
      monotonic: () => clock.monotonic(),
      after: (delayMs, task, name = "unnamed timer") =>
        clock.after(delayMs, () => this.run(name, task), name),
    };
  }

  #machineFailed(
    name: string,
    error: unknown,
    fault: string,
    fields: Readonly<Record<string, unknown>> = {},
  ): void {
    const count = ++this.#machineFaultCount;
    const now = this.#clock.monotonic();
    const logged = this.#logged.get(name);
    if (logged !== undefined && now - logged.at < MIN_LOG_INTERVAL_MS) {
      logged.omitted++;
      return;
    }
    if (logged === undefined && this.#logged.size >= MAX_LOGGED_NAMES) return;
    this.#logged.set(name, { at: now, omitted: 0 });
    const omitted = logged !== undefined && logged.omitted > 0 ? { omitted: logged.omitted } : {};
    const message = `The machine failed in "${name}": the node continues`;
    this.#log.error(message, { fault, error, count, ...fields, ...omitted });
  }
}
