/** Reports to systemd (`Type=notify`, `WatchdogSec=`). */
import type { Log } from "../interfaces.ts";
import { every } from "../runtime/timers.ts";
import type { Io } from "./io.ts";

/** Shorter watchdog periods are raised to this, ms: each report starts a process. */
const MIN_WATCHDOG_MS = 1_000;
const MICROSECONDS_PER_MS = 1_000;

export interface ServiceManager {
  /** Reports readiness once, then sends two keep-alives per watchdog period. */
  ready(): void;
  stopping(): void;
  close(): void;
}

/** The watchdog period, ms; undefined if there is none or it is for another process (sd_watchdog_enabled(3)). */
function watchdogMs({ WATCHDOG_USEC, WATCHDOG_PID }: NodeJS.ProcessEnv, pid: number): number | undefined {
  if (WATCHDOG_USEC === undefined || !/^\d{1,15}$/.test(WATCHDOG_USEC)) return undefined;
  if (WATCHDOG_PID !== undefined && WATCHDOG_PID !== String(pid)) return undefined;
  const period = Number(WATCHDOG_USEC) / MICROSECONDS_PER_MS;
  return period > 0 ? Math.max(period, MIN_WATCHDOG_MS) : undefined;
}

/** Sends one report at a time. */
export function serviceManager(
  { environment, clock, service }: Pick<Io, "environment" | "clock" | "service">,
  log: Log,
): ServiceManager {
  if (service === undefined) return { ready: () => {}, stopping: () => {}, close: () => {} };
  const waiting = new Set<string>();
  let isSending = false;
  let hasFailed = false;
  const sendReports = async (): Promise<void> => {
    if (isSending) return;
    isSending = true;
    for (const state of waiting) {
      waiting.delete(state);
      const failure = await service.notify(state);
      if (failure === undefined || hasFailed) continue;
      hasFailed = true;
      log.warn(`Cannot report ${state} to systemd: ${failure}. Install systemd-notify, or use Type=exec`);
    }
    isSending = false;
  };
  const report = (state: string): void => {
    waiting.add(state);
    void sendReports();
  };
  let stopWatchdog = (): void => {};
  return {
    ready: () => {
      report("READY=1");
      const period = watchdogMs(environment, service.pid);
      if (period !== undefined)
        stopWatchdog = every(clock, period / 2, "watchdog", () => report("WATCHDOG=1"));
    },
    stopping: () => report("STOPPING=1"),
    close: () => stopWatchdog(),
  };
}
