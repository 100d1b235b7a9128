/** Probes the disk after a failed write, until a write succeeds. */
import type { Cancel, Clock, Log } from "../interfaces.ts";
import { DiskError } from "../storage/disk/disk-error.ts";

const MIN_RETRY_DELAY_MS = 1_000;
const MAX_RETRY_DELAY_MS = 60_000;
/** The delay is reset when writes have succeeded for this long, ms. */
const BACKOFF_RESET_MS = 600_000;

interface DiskMonitorDependencies {
  readonly clock: Clock;
  readonly log: Log;
  /** @throws DiskError (as a rejection) if the disk rejects a write */
  readonly probe: () => Promise<void>;
  readonly onRecovered: () => void;
  readonly giveUp: (error: DiskError) => void;
}

export class DiskMonitor {
  readonly #dependencies: DiskMonitorDependencies;
  #fault: DiskError | undefined;
  #retryDelayMs = MIN_RETRY_DELAY_MS;
  #resumedAt = Number.NEGATIVE_INFINITY;
  #cancel: Cancel | undefined;
  #isActive = false;

  constructor(dependencies: DiskMonitorDependencies) {
    this.#dependencies = dependencies;
  }

  /** Undefined while writes succeed. */
  get fault(): DiskError | undefined {
    return this.#fault;
  }

  /** Before this call, the monitor ignores failed writes: they make the node's start fail. */
  start(): void {
    this.#isActive = true;
  }

  onWriteError(error: DiskError): void {
    if (!this.#isActive) return;
    const { clock, log, giveUp } = this.#dependencies;
    const isNew = this.#fault === undefined;
    this.#fault = error;
    if (error.lasting) {
      this.stop();
      giveUp(error);
      return;
    }
    if (!isNew) return;
    log.error("Disk write failed: forging and broadcasting are paused until writes succeed", {
      reason: error.message,
    });
    if (clock.monotonic() - this.#resumedAt > BACKOFF_RESET_MS) this.#retryDelayMs = MIN_RETRY_DELAY_MS;
    this.#scheduleRetry();
  }

  /** Tests the disk when it has enough space again. */
  probeAfterPause(): void {
    const { probe, onRecovered, log } = this.#dependencies;
    if (!this.#isActive || this.#fault !== undefined) return;
    probe().then(
      () => {
        if (this.#isActive && this.#fault === undefined) onRecovered();
      },
      (error: unknown) => {
        if (error instanceof DiskError) this.onWriteError(error);
        else if (this.#isActive) log.error("The attempt to write to the disk failed", { error });
      },
    );
  }

  stop(): void {
    this.#isActive = false;
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #scheduleRetry(): void {
    const { clock, probe, log } = this.#dependencies;
    this.#cancel = clock.after(this.#retryDelayMs, () => {
      this.#retryDelayMs = Math.min(2 * this.#retryDelayMs, MAX_RETRY_DELAY_MS);
      probe().then(
        () => this.#onSuccess(),
        (error: unknown) => {
          if (error instanceof DiskError) this.#fault = error;
          else log.error("The attempt to write to the disk failed", { error });
          if (this.#isActive) this.#scheduleRetry();
        },
      );
    });
  }

  #onSuccess(): void {
    if (!this.#isActive) return;
    const { clock, log, onRecovered } = this.#dependencies;
    this.#fault = undefined;
    this.#resumedAt = clock.monotonic();
    log.info("Disk writes succeed again");
    onRecovered();
  }
}
