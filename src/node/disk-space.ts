/** Pauses writing before the store's disk is full. */
import type { DiskSpace, Resources } from "../control/index.ts";
import type { Cancel, Clock, Log } from "../interfaces.ts";
import { gauge, type Metrics } from "../runtime/metrics.ts";
import { every } from "../runtime/timers.ts";
import { DiskError } from "../storage/disk/disk-error.ts";

const CHECK_INTERVAL_MS = 10_000;
/** Default of `warnBelowBytes`: this size or, if more, a tenth of the store's size. */
const MIN_WARNING_BYTES = 2 * 2 ** 30;
const WARNING_STORE_DIVISOR = 10;
/** A warning ends when this multiple of its limit is free. */
const WARNING_END_FACTOR = 1.1;

export const diskMetrics = {
  free: gauge("holdfast_disk_free_bytes", "Free space on the disk of the chain store, measured every 10 s."),
  warn: gauge(
    "holdfast_disk_warn_bytes",
    "Free space below which the node logs a warning: `--disk-warn-free` or its default.",
  ),
} as const;

export interface DiskSpaceLimits {
  readonly warnBelowBytes: number | undefined;
  readonly pauseBelowBytes: number;
  readonly resumeAboveBytes: number;
}

interface DiskSpaceDependencies {
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
  readonly measure: () => Promise<Resources>;
  readonly metrics: Metrics;
  readonly onResumed: () => void;
}

export function warnLimit(
  { warnBelowBytes }: Pick<DiskSpaceLimits, "warnBelowBytes">,
  storeBytes: number,
): number {
  return warnBelowBytes ?? Math.max(MIN_WARNING_BYTES, storeBytes / WARNING_STORE_DIVISOR);
}

/** Rounds down: `1.4 GiB`, `498 MiB`. */
function sizeText(bytes: number): string {
  const gibibytes = bytes / 2 ** 30;
  return gibibytes >= 1 ? `${Math.floor(10 * gibibytes) / 10} GiB` : `${Math.floor(bytes / 2 ** 20)} MiB`;
}

export class DiskSpaceMonitor {
  readonly #dependencies: DiskSpaceDependencies;
  readonly #limits: DiskSpaceLimits;
  #state: DiskSpace["state"] = "ok";
  #freeBytes: number | undefined;
  #storeBytes = 0;
  #fault: DiskError | undefined;
  #cancel: Cancel = () => {};
  #checking: Promise<void> | undefined;
  #hasEnded = false;

  constructor(dependencies: DiskSpaceDependencies, limits: DiskSpaceLimits) {
    this.#dependencies = dependencies;
    this.#limits = limits;
    dependencies.metrics.observe(diskMetrics.free, () => this.#freeBytes);
    dependencies.metrics.observe(diskMetrics.warn, () => this.#warnLimit());
  }

  /** Undefined while writes are allowed. */
  get fault(): DiskError | undefined {
    return this.#fault;
  }

  get info(): DiskSpace {
    return { state: this.#state, freeBytes: this.#freeBytes };
  }

  async start(): Promise<void> {
    this.#cancel = every(this.#dependencies.clock, CHECK_INTERVAL_MS, "disk space", () => void this.check());
    await this.check();
  }

  stop(): void {
    this.#hasEnded = true;
    this.#cancel();
  }

  /** Never rejects. */
  check(): Promise<void> {
    const { measure, log } = this.#dependencies;
    this.#checking ??= measure()
      .then(
        ({ diskFree, store }) => this.#measured(diskFree, store),
        // The state stays until the system reports a size again.
        (error: unknown) => log.warn("Cannot measure the free space of the disk", { error }),
      )
      .finally(() => {
        this.#checking = undefined;
      });
    return this.#checking;
  }

  #measured(freeBytes: number | undefined, storeBytes = 0): void {
    this.#freeBytes = freeBytes;
    this.#storeBytes = storeBytes;
    if (freeBytes === undefined || this.#hasEnded) return;
    const before = this.#state;
    this.#state = this.#stateFor(freeBytes);
    const isPaused = this.#state === "paused";
    const { pauseBelowBytes, resumeAboveBytes } = this.#limits;
    this.#fault = isPaused
      ? new DiskError(
          `only ${sizeText(freeBytes)} of the disk are free: writes continue at ${sizeText(resumeAboveBytes)}`,
        )
      : undefined;
    if (this.#state === before) return;
    const { log, onResumed } = this.#dependencies;
    const facts = { freeBytes };
    if (isPaused)
      log.error(
        `Less than ${sizeText(pauseBelowBytes)} of the disk are free: forging and accepting transactions and blocks ` +
          `are paused until ${sizeText(resumeAboveBytes)} are free`,
        facts,
      );
    else if (before === "paused")
      log.info(
        "The disk has enough free space again: forging and accepting transactions and blocks continue",
        facts,
      );
    if (this.#state === "low")
      log.warn(`Only ${sizeText(freeBytes)} of disk space is left: delete files or use a larger disk`, facts);
    else if (before === "low" && this.#state === "ok")
      log.info("The disk has enough free space again", facts);
    if (before === "paused") onResumed();
  }

  #warnLimit(): number {
    return warnLimit(this.#limits, this.#storeBytes);
  }

  #stateFor(freeBytes: number): DiskSpace["state"] {
    const { pauseBelowBytes, resumeAboveBytes } = this.#limits;
    const pauseLimit = this.#state === "paused" ? resumeAboveBytes : pauseBelowBytes;
    if (freeBytes < pauseLimit) return "paused";
    return freeBytes < this.#warnLimit() * (this.#state === "low" ? WARNING_END_FACTOR : 1) ? "low" : "ok";
  }
}
