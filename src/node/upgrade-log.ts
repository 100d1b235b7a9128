import type { Clock, Log } from "../interfaces.ts";
import { systemClock } from "../runtime/system.ts";
import { FORMAT_VERSION, type UpgradeProgress } from "../storage/store.ts";

const PROGRESS_INTERVAL_MS = 10_000;

export function upgradeLog(
  log: Log,
  directory: string,
  clock: Pick<Clock, "monotonic"> = systemClock,
): (progress: UpgradeProgress) => void {
  const startedAt = clock.monotonic();
  let loggedAt = startedAt;
  return ({ from, step, progressText }) => {
    const now = clock.monotonic();
    const formats = `${directory} from format ${from} to ${FORMAT_VERSION}`;
    if (step === "begin")
      log.warn(`Upgrading the store ${formats}: older versions cannot read it afterwards`);
    else if (step === "end")
      log.info(`Upgraded the store ${formats}`, { seconds: Math.round((now - startedAt) / 1_000) });
    else if (now - loggedAt >= PROGRESS_INTERVAL_MS) {
      loggedAt = now;
      log.info("Upgrading the store", { done: progressText });
    }
  };
}
