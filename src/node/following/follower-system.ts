import { readFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import type { Settings } from "../../config/settings.ts";
import type { Log } from "../../interfaces.ts";
import type { LogLevels } from "../../runtime/logging/log-levels.ts";
import { superviseProcess } from "../../runtime/supervise-process.ts";
import { systemClock } from "../../runtime/system.ts";
import { HttpUnitSource } from "../../unit-sources/http-unit-source.ts";
import { chainDirectory, hasNoStore, openNodeStore } from "../composition.ts";
import type { HandleBudget } from "../handles.ts";
import { createFollowerEnvironment } from "../system-environment.ts";
import type { FollowerSystem } from "./run-follower.ts";
import { readSavedSource } from "./saved-source.ts";

/**
 * Returns what a follower uses of this machine: HTTP sources and a store on disk.
 * @param onBroken called after an internal error, when the node shuts down
 */
export function followerSystem(
  settings: Settings,
  log: Log,
  levels: LogLevels,
  handles: HandleBudget,
  onBroken: () => void,
): FollowerSystem {
  const { sources, key, caFile } = settings.following;
  const ca = caFile === undefined ? undefined : readFileSync(caFile, "utf8");
  const units = sources.map(
    (url) => new HttpUnitSource({ url, key: () => key?.reveal(), ca, clock: systemClock }),
  );
  let endSupervision = (): void => {};
  return {
    sources: units,
    clock: systemClock,
    log,
    async savedSource() {
      if (await hasNoStore(settings)) return undefined;
      const store = await openNodeStore(settings, { log });
      try {
        return readSavedSource(store);
      } finally {
        await store.close();
      }
    },
    async open(adopted, signal) {
      endSupervision();
      const environment = await createFollowerEnvironment(adopted, { log, levels }, handles, units, signal);
      endSupervision = superviseProcess(environment.supervisor, onBroken);
      return environment;
    },
    clear: () => rm(chainDirectory(settings), { recursive: true, force: true }),
  };
}
