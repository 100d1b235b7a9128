import { expect, test } from "vitest";
import { MetricsRegistry, metricsText } from "../../runtime/metrics.ts";
import { RecordingLog } from "../../testing/dev-node.ts";
import { elapse } from "../../testing/elapse.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { type BackupRunner, type StoredBackup, startBackups } from "./backup-schedule.ts";

const HOUR = 3_600_000;
const BEGIN = 100 * HOUR;

/** A schedule with a directory of backups in memory. */
class Schedule {
  readonly clock = new VirtualClock(BEGIN);
  readonly log = new RecordingLog();
  readonly metrics = new MetricsRegistry();
  backups: StoredBackup[];
  failures = 0;
  isStopped = false;
  readonly stop: () => Promise<void>;

  constructor(everyMs: number, keep: number, existing: readonly number[] = []) {
    this.backups = existing.map((createdAt) => ({ path: String(createdAt), createdAt }));
    const runner: BackupRunner = {
      list: () => this.backups,
      write: async (now) => {
        if (this.failures-- > 0) throw new Error("no space");
        this.backups = [...this.backups, { path: String(now), createdAt: now }];
        return { created: "", format: 6, network: "", contents: [], bytes: 7, height: 3 };
      },
      remove: async (path) => {
        this.backups = this.backups.filter((backup) => backup.path !== path);
      },
      stop: () => {
        this.isStopped = true;
      },
    };
    const { clock, log, metrics } = this;
    this.stop = startBackups({ clock, log, metrics, runner }, { everyMs, keep });
  }

  /** Hours after the start at which the backups were made. */
  get hours(): number[] {
    return this.backups.map(({ createdAt }) => Math.round((100 * (createdAt - BEGIN)) / HOUR) / 100);
  }

  async metric(name: string): Promise<string | undefined> {
    const lines = (await metricsText(await this.metrics.samples())).split("\n");
    return lines.find((line) => line.startsWith(`holdfast_backup_${name} `))?.split(" ")[1];
  }
}

test("a backup is made a minute after the first start, then at each interval, and the newest ones stay", async () => {
  const schedule = new Schedule(24 * HOUR, 3);
  await elapse(schedule.clock, 30_000);
  expect(await schedule.metric("age_seconds")).toBe("30");
  expect(schedule.hours).toEqual([]);
  await elapse(schedule.clock, 49 * HOUR);
  expect(schedule.hours).toEqual([0.02, 24.02, 48.02]);
  await elapse(schedule.clock, 48 * HOUR);
  expect(schedule.hours).toEqual([48.02, 72.02, 96.02]);
  expect(await schedule.metric("age_seconds")).toBe("3570");
  expect(await schedule.metric("interval_seconds")).toBe("86400");
  expect(await schedule.metric("size_bytes")).toBe("7");
});

test("after a restart, the next backup is due an interval after the newest one", async () => {
  const schedule = new Schedule(24 * HOUR, 3, [BEGIN - 40 * HOUR, BEGIN - 20 * HOUR]);
  expect(await schedule.metric("age_seconds")).toBe("72000");
  await elapse(schedule.clock, 5 * HOUR);
  expect(schedule.hours).toEqual([-40, -20, 4]);
});

test("a failed backup is counted, logged and repeated, and deletes no other one", async () => {
  const schedule = new Schedule(24 * HOUR, 1, [BEGIN - 90 * HOUR]);
  schedule.failures = 2;
  await elapse(schedule.clock, 15 * 60_000);
  expect(schedule.hours).toEqual([-90]);
  expect(await schedule.metric("failures_total")).toBe("2");
  expect(schedule.log.lines.filter(({ level }) => level === "error").map(({ message }) => message)).toEqual([
    "Backup failed",
    "Backup failed",
  ]);
  await elapse(schedule.clock, 10 * 60_000);
  expect(schedule.hours).toEqual([0.35]);
});

test("no backup begins after the stop", async () => {
  const schedule = new Schedule(60_000, 3);
  await schedule.stop();
  expect(schedule.isStopped).toBe(true);
  await elapse(schedule.clock, HOUR);
  expect(schedule.hours).toEqual([]);
});

test("a backup with a time in the future counts as the oldest one, and delays no other one", async () => {
  const schedule = new Schedule(24 * HOUR, 1, [BEGIN + 90_000 * HOUR]);
  expect(await schedule.metric("age_seconds")).toBe("0");
  await elapse(schedule.clock, 25 * HOUR);
  expect(schedule.hours).toEqual([24.02]);
  expect(await schedule.metric("age_seconds")).toBe("3540");
});

test("a clock that is set back delays the next backup by at most one interval", async () => {
  const schedule = new Schedule(24 * HOUR, 9);
  await elapse(schedule.clock, HOUR);
  schedule.clock.set(BEGIN - 99 * HOUR);
  await elapse(schedule.clock, 25 * HOUR);
  expect(schedule.hours).toEqual([0.02, -74.98]);
});
