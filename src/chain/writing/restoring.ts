import type { Log } from "../../interfaces.ts";
import type { Store } from "../../storage/store.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { NotRestoredError, SplitChange } from "./split-change.ts";
import { hasSwitchRow, removeSwitchRow } from "./switch-row.ts";
import type { ChainWriter } from "./writer.ts";

export interface RestoringDependencies {
  readonly store: Store;
  readonly writer: ChainWriter;
  readonly network: NetworkRules;
  readonly log: Pick<Log, "warn" | "error">;
}

/**
 * Restores our chain, before other code uses it, if a switch to another branch was interrupted.
 * @throws what the store throws
 */
export function restoreAtOpening({ store, writer, network, log }: RestoringDependencies): void {
  if (!hasSwitchRow(store)) return;
  writer.hasSwitchRow = true;
  const unfinished = writer.unfinishedSwitch;
  if (unfinished === undefined) {
    store.write(removeSwitchRow);
    writer.hasSwitchRow = false;
    return;
  }
  log.warn("A switch to another branch was interrupted: restoring our chain", { ...unfinished });
  const lock = writer.queue.acquireNow();
  try {
    new SplitChange(writer, lock, network, writer.timeSlice()).restoreUnfinishedSync();
  } catch (error) {
    logIfNotRestored(error, log);
  } finally {
    lock.release();
  }
}

/**
 * Runs `task` like `WriteQueue.whenFree`, after restoring our chain if a switch was interrupted.
 * @throws DiskError if a write fails while our chain is restored
 * @throws what `task` and `WriteQueue.whenFree` throw
 */
export function whenRestored<T>(
  dependencies: RestoringDependencies,
  task: () => T,
  isUrgent?: boolean,
): Promise<T> {
  const { writer } = dependencies;
  const run = (): T | Promise<T> =>
    writer.unfinishedSwitch !== undefined
      ? restore(dependencies).then(() => whenRestored(dependencies, task, isUrgent))
      : task();
  return writer.queue.whenFree(run, isUrgent) as Promise<T>;
}

async function restore({ writer, network, log }: RestoringDependencies): Promise<void> {
  const lock = writer.queue.acquireNow();
  try {
    await new SplitChange(writer, lock, network, writer.timeSlice()).restoreUnfinished();
  } catch (error) {
    logIfNotRestored(error, log);
  } finally {
    lock.release();
  }
}

function logIfNotRestored(error: unknown, log: Pick<Log, "error">): void {
  if (!(error instanceof NotRestoredError)) throw error;
  log.error("Not all of our blocks could be restored", { reason: error.reason });
}
