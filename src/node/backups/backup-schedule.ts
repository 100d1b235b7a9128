import type { Cancel, Clock, Log } from "../../interfaces.ts";
import { counter, gauge, type Metrics } from "../../runtime/metrics.ts";
import { namedClock } from "../../runtime/timers.ts";
import type { BackupDescription } from "../../storage/copies/backup.ts";

/** Delay of the first backup after the start, ms, so that a restart is not slower. */
const FIRST_DELAY_MS = 60_000;
/** Delay after a failed backup, ms, unless backups are due more often. */
const RETRY_DELAY_MS = 600_000;
/** Timers cannot wait longer than 24 days. */
const MAX_WAIT_MS = 3_600_000;
const MILLISECONDS = 1_000;

export const backupMetrics = {
  age: gauge(
    "holdfast_backup_age_seconds",
    "Age of the newest scheduled backup; without one, the time since the node started.",
  ),
  interval: gauge("holdfast_backup_interval_seconds", "Time between two backups: `--backup-every`."),
  bytes: gauge("holdfast_backup_size_bytes", "Size of the newest backup that this process wrote."),
  duration: gauge("holdfast_backup_duration_seconds", "Duration of that backup."),
  failures: counter("holdfast_backup_failures_total", "Scheduled backups that failed."),
} as const;

export interface StoredBackup {
  readonly path: string;
  /** ms since 1970. */
  readonly createdAt: number;
}

export interface BackupRunner {
  /**
   * Complete backups, oldest first.
   * @throws errors of the file system
   */
  list(): readonly StoredBackup[];
  /** @throws what `writeBackup` throws */
  write(now: number): Promise<BackupDescription>;
  /** @throws errors of the file system */
  remove(path: string): Promise<void>;
  /** Makes a running `write` fail soon. */
  stop(): void;
}

interface ScheduleDependencies {
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly runner: BackupRunner;
}

export interface ScheduleOptions {
  readonly everyMs: number;
  readonly keep: number;
}

/**
 * Starts a schedule.
 * @param dependencies without a runner, nothing starts
 * @returns stops it; resolves when a running backup has ended
 */
export function startBackups(
  {
    runner,
    clock,
    ...dependencies
  }: Omit<ScheduleDependencies, "runner"> & {
    readonly runner: BackupRunner | undefined;
  },
  options: ScheduleOptions,
): () => Promise<void> {
  if (runner === undefined) return async () => {};
  const schedule = new BackupSchedule(
    { ...dependencies, clock: namedClock(clock, "backups"), runner },
    options,
  );
  schedule.start();
  return () => schedule.stop();
}

class BackupSchedule {
  readonly #dependencies: ScheduleDependencies;
  readonly #options: ScheduleOptions;
  #newestAt: number | undefined;
  #cancel: Cancel = () => {};
  #running: Promise<void> = Promise.resolve();
  #isStopped = false;
  #last: { readonly bytes: number; readonly seconds: number } | undefined;

  constructor(dependencies: ScheduleDependencies, options: ScheduleOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  start(): void {
    const { clock, metrics, log, runner } = this.#dependencies;
    const { everyMs } = this.#options;
    const startedAt = clock.now();
    try {
      this.#newestAt = runner.list().at(-1)?.createdAt;
    } catch (error) {
      log.warn("Cannot list the backups", { error });
    }
    metrics.observe(backupMetrics.age, () =>
      Math.max(0, (clock.now() - (this.#newestAt ?? startedAt)) / MILLISECONDS),
    );
    metrics.observe(backupMetrics.interval, () => everyMs / MILLISECONDS);
    metrics.observe(backupMetrics.bytes, () => this.#last?.bytes);
    metrics.observe(backupMetrics.duration, () => this.#last?.seconds);
    const first = startedAt + Math.min(FIRST_DELAY_MS, everyMs);
    this.#waitUntil(Math.max(first, (this.#newestAt ?? 0) + everyMs));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    this.#dependencies.runner.stop();
    await this.#running;
  }

  #waitUntil(at: number): void {
    const { clock } = this.#dependencies;
    if (this.#isStopped) return;
    const left = Math.min(at - clock.now(), this.#options.everyMs);
    this.#cancel = clock.after(Math.max(0, Math.min(left, MAX_WAIT_MS)), () => {
      if (left > MAX_WAIT_MS) this.#waitUntil(at);
      else this.#running = this.#run();
    });
  }

  async #run(): Promise<void> {
    const { clock, log, metrics, runner } = this.#dependencies;
    const { everyMs } = this.#options;
    const begunAt = clock.now();
    const begun = clock.monotonic();
    try {
      const { bytes, height } = await runner.write(begunAt);
      const seconds = (clock.monotonic() - begun) / MILLISECONDS;
      this.#newestAt = begunAt;
      this.#last = { bytes, seconds };
      log.info("Backup written", { bytes, height, seconds });
    } catch (error) {
      if (this.#isStopped) return;
      metrics.counter(backupMetrics.failures, {}).add();
      log.error("Backup failed", { error });
      this.#waitUntil(clock.now() + Math.min(RETRY_DELAY_MS, everyMs));
      return;
    }
    await this.#removeOld();
    this.#waitUntil(begunAt + everyMs);
  }

  async #removeOld(): Promise<void> {
    const { log, runner } = this.#dependencies;
    try {
      for (const { path } of runner.list().slice(0, -this.#options.keep)) await runner.remove(path);
    } catch (error) {
      log.warn("Cannot delete an old backup", { error });
    }
  }
}
