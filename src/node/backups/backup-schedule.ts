import type { Cancel, Clock, Log } from "../../interfaces.ts";
import { counter, gauge, type Metrics } from "../../runtime/metrics.ts";
import { namedClock } from "../../runtime/timers.ts";
import type { BackupDescription } from "../../storage/copies/backup.ts";

/** Minimum delay of the first backup, ms. */
const FIRST_DELAY_MS = 60_000;
const RETRY_DELAY_MS = 600_000;
/** Longer waits use several timers, because Node.js limits a timer to 24 days. */
const MAX_TIMER_MS = 3_600_000;
const MS_PER_SECOND = 1_000;

export const backupMetrics = {
  age: gauge(
    "holdfast_backup_age_seconds",
    "Age of the newest scheduled backup. If there is no backup, the time since the node started.",
  ),
  interval: gauge("holdfast_backup_interval_seconds", "Configured time between backups: `--backup-every`."),
  bytes: gauge("holdfast_backup_size_bytes", "Size of the last backup since the node started."),
  duration: gauge(
    "holdfast_backup_duration_seconds",
    "Time that the last backup since the node started took.",
  ),
  failures: counter("holdfast_backup_failures_total", "Scheduled backups that failed."),
} as const;

export interface StoredBackup {
  readonly path: string;
  /** ms since 1970. */
  readonly createdAt: number;
}

export interface BackupRunner {
  /**
   * Lists complete backups, oldest first.
   * @throws errors of the file system
   */
  list(): readonly StoredBackup[];
  /** @param now ms since 1970 @throws what `writeBackup` throws */
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

/** @returns a function that stops the backups; its promise resolves when no backup is running */
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
  #lastBackup: { readonly bytes: number; readonly seconds: number } | undefined;

  constructor(dependencies: ScheduleDependencies, options: ScheduleOptions) {
    this.#dependencies = dependencies;
    this.#options = options;
  }

  start(): void {
    const { clock, metrics, log } = this.#dependencies;
    const { everyMs } = this.#options;
    const startedAt = clock.now();
    try {
      this.#newestAt = this.#list().past.at(-1)?.createdAt;
    } catch (error) {
      log.warn("Cannot list the backups", { error });
    }
    metrics.observe(backupMetrics.age, () =>
      Math.max(0, (clock.now() - (this.#newestAt ?? startedAt)) / MS_PER_SECOND),
    );
    metrics.observe(backupMetrics.interval, () => everyMs / MS_PER_SECOND);
    metrics.observe(backupMetrics.bytes, () => this.#lastBackup?.bytes);
    metrics.observe(backupMetrics.duration, () => this.#lastBackup?.seconds);
    const earliest = startedAt + Math.min(FIRST_DELAY_MS, everyMs);
    this.#waitUntil(Math.max(earliest, (this.#newestAt ?? 0) + everyMs));
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#cancel();
    this.#dependencies.runner.stop();
    await this.#running;
  }

  /** Separates backups with a future date, which were made while the clock was wrong. */
  #list(): { readonly past: readonly StoredBackup[]; readonly future: readonly StoredBackup[] } {
    const { clock, runner } = this.#dependencies;
    const all = runner.list();
    const isPast = ({ createdAt }: StoredBackup): boolean => createdAt <= clock.now();
    return { past: all.filter(isPast), future: all.filter((backup) => !isPast(backup)) };
  }

  #waitUntil(at: number): void {
    const { clock } = this.#dependencies;
    if (this.#isStopped) return;
    // The clock may have been set back: wait one interval at most.
    const due = Math.min(at, clock.now() + this.#options.everyMs);
    const remainingMs = due - clock.now();
    this.#cancel = clock.after(Math.max(0, Math.min(remainingMs, MAX_TIMER_MS)), () => {
      if (remainingMs > MAX_TIMER_MS) this.#waitUntil(due);
      else this.#running = this.#run();
    });
  }

  async #run(): Promise<void> {
    const { clock, log, metrics, runner } = this.#dependencies;
    const { everyMs } = this.#options;
    const begunAt = clock.now();
    const monotonicStart = clock.monotonic();
    try {
      const { bytes, height } = await runner.write(begunAt);
      const seconds = (clock.monotonic() - monotonicStart) / MS_PER_SECOND;
      this.#newestAt = begunAt;
      this.#lastBackup = { bytes, seconds };
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
      const { past, future } = this.#list();
      for (const { path } of [...future, ...past].slice(0, -this.#options.keep)) await runner.remove(path);
    } catch (error) {
      log.warn("Cannot delete an old backup", { error });
    }
  }
}
