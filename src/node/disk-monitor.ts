/** What a running node makes of a disk that does not take what it wants to write: it waits, and goes on by itself. */
import type { Cancel, Clock, Log } from "../interfaces.ts";
import { DiskError } from "../storage/disk/disk-error.ts";

/** Waits between two attempts, ms: the first one, then twice as long each time, up to the longest. */
const MIN_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 60_000;
/** A fault that comes back within this time goes on waiting as before, ms: a disk with very little room. */
const BACKOFF_RESET_MS = 600_000;

interface DiskMonitorDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** Writes a little, where the chain is. */
  readonly attempt: () => Promise<void>;
  /** The disk takes what is written again. */
  readonly resume: () => void;
  /** The disk has failed so that only a new start helps. */
  readonly giveUp: (error: DiskError) => void;
}

export class DiskMonitor {
  readonly #dependencies: DiskMonitorDependencies;
  #current: DiskError | undefined;
  #wait = MIN_RETRY_DELAY_MS;
  #resumedAt = Number.NEGATIVE_INFINITY;
  #cancel: Cancel | undefined;
  #active = false;

  constructor(dependencies: DiskMonitorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Why nothing can be written at the moment; undefined while it can. */
  get fault(): DiskError | undefined {
    return this.#current;
  }

  /** From now on failures are waited for; before, whoever meets one ends. */
  start(): void {
    this.#active = true;
  }

  /** Somebody could not write. */
  failed(error: DiskError): void {
    if (!this.#active) return;
    const { clock, log, giveUp } = this.#dependencies;
    const isNew = this.#current === undefined;
    this.#current = error;
    if (error.lasting) {
      this.stop();
      giveUp(error);
      return;
    }
    if (!isNew) return;
    log.error("The disk does not take what is to be written: until it does, nothing is forged or broadcast", {
      reason: error.message,
    });
    if (clock.monotonic() - this.#resumedAt > BACKOFF_RESET_MS) this.#wait = MIN_RETRY_DELAY_MS;
    this.#tryLater();
  }

  stop(): void {
    this.#active = false;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #tryLater(): void {
    const { clock, attempt, log } = this.#dependencies;
    this.#cancel = clock.after(this.#wait, () => {
      this.#wait = Math.min(2 * this.#wait, MAX_RETRY_DELAY_MS);
      attempt().then(
        () => this.#succeeded(),
        (error: unknown) => {
          if (error instanceof DiskError) this.#current = error;
          else log.error("Trying the disk failed", { error });
          if (this.#active) this.#tryLater();
        },
      );
    });
  }

  #succeeded(): void {
    if (!this.#active) return;
    const { clock, log, resume } = this.#dependencies;
    this.#current = undefined;
    this.#resumedAt = clock.monotonic();
    log.info("The disk takes what is written again");
    resume();
  }
}
