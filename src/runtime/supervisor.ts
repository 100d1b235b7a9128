/**
 * Runs what nobody waits for: timers, listeners, streams. An error that leaves one of them would end the process. Here
 * it is caught, logged with the name of what threw it, and counted. A fault of the machine (file handles, memory, disk,
 * network) passes: the node continues. Anything else is a broken invariant of ours: the node stops in good order.
 */
import { reasonOf } from "../bytes/errors.ts";
import type { Clock, Log } from "../interfaces.ts";
import { machineFaultOf } from "./machine-fault.ts";

/** After a line about one task, further failures of it are only counted for this long, ms. */
const QUIET_MS = 10_000;
/** Names with a count of their own; they are written in the source, so that there are few. */
const MAX_NAMES = 1_000;

/** The program met a state that it excludes. It cannot know what else is wrong, so the node stops. */
export class BrokenInvariantError extends Error {
  override readonly name = "BrokenInvariantError";

  /** @param task name of the timer, listener or stream that threw */
  constructor(task: string, cause: unknown) {
    super(
      `The node stopped because of a fault of its own in "${task}": ${reasonOf(cause)}. ` +
        "The chain is kept. Start it again, and report the fault with the log",
      { cause },
    );
  }
}

/** How often what nobody waits for has failed since the start. */
export interface FailureCounts {
  /** Faults of the machine, after which the node went on. */
  readonly machine: number;
  /** Broken invariants of ours. */
  readonly broken: number;
}

/** What was said about one name. */
interface Said {
  at: number;
  /** Failures since then that the log leaves out. */
  unsaid: number;
}

export class Supervisor {
  readonly #log: Log;
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #said = new Map<string, Said>();
  #machine = 0;
  #broken = 0;
  #firstBroken: BrokenInvariantError | undefined;
  readonly #onBroken: ((error: BrokenInvariantError) => void)[] = [];

  constructor(log: Log, clock: Pick<Clock, "monotonic">) {
    this.#log = log;
    this.#clock = clock;
  }

  get failures(): FailureCounts {
    return { machine: this.#machine, broken: this.#broken };
  }

  /** Adds what the first broken invariant calls, once; at once if there was one already. It must not throw. */
  onBroken(listener: (error: BrokenInvariantError) => void): void {
    this.#onBroken.push(listener);
    if (this.#firstBroken !== undefined) listener(this.#firstBroken);
  }

  /**
   * Judges an error that somebody else caught. Never throws.
   * @param name of the timer, listener or stream that failed
   * @param facts which the log shows with it
   */
  failed(name: string, error: unknown, facts: Readonly<Record<string, unknown>> = {}): void {
    const fault = machineFaultOf(error);
    if (fault !== undefined) {
      const count = ++this.#machine;
      this.#say(`The machine failed in "${name}": the node continues`, name, {
        fault,
        error,
        count,
        ...facts,
      });
      return;
    }
    this.#broken++;
    this.#log.error(`A fault of the node in "${name}": the node stops`, { error, ...facts });
    if (this.#firstBroken !== undefined) return;
    this.#firstBroken = new BrokenInvariantError(name, error);
    for (const listener of this.#onBroken) listener(this.#firstBroken);
  }

  /** Runs a task whose end nobody waits for. Never throws. */
  run(name: string, task: () => unknown): void {
    try {
      const result = task();
      if (result instanceof Promise) result.catch((error: unknown) => this.failed(name, error));
    } catch (error) {
      this.failed(name, error);
    }
  }

  /** The same listener, which never throws. */
  guard<Args extends readonly unknown[]>(
    name: string,
    listener: (...args: Args) => unknown,
  ): (...args: Args) => void {
    return (...args) => this.run(name, () => listener(...args));
  }

  /** The same clock; what its timers throw is caught. */
  clock(clock: Clock): Clock {
    return {
      now: () => clock.now(),
      system: () => clock.system(),
      monotonic: () => clock.monotonic(),
      after: (delayMs, task, name = "unnamed timer") =>
        clock.after(delayMs, () => this.run(name, task), name),
    };
  }

  /** A fault that comes again and again must not fill the log. */
  #say(message: string, name: string, facts: Readonly<Record<string, unknown>>): void {
    const now = this.#clock.monotonic();
    const said = this.#said.get(name);
    if (said !== undefined && now - said.at < QUIET_MS) {
      said.unsaid++;
      return;
    }
    if (said === undefined && this.#said.size >= MAX_NAMES) return;
    this.#said.set(name, { at: now, unsaid: 0 });
    const unsaid = said?.unsaid ?? 0;
    this.#log.error(message, unsaid > 0 ? { ...facts, unsaid } : { ...facts });
  }
}
