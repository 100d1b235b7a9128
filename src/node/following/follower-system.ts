import { existsSync, readFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import type { Log } from "../../interfaces.ts";
import type { LogLevels } from "../../runtime/logging/log-levels.ts";
import { superviseProcess } from "../../runtime/supervise-process.ts";
import { systemClock } from "../../runtime/system.ts";
import { HttpUnitSource } from "../../unit-sources/http-unit-source.ts";
import { chainDirectory, hasNoStore, openNodeStore } from "../composition.ts";
import type { HandleBudget } from "../handles.ts";
import { createFollowerEnvironment } from "../system-environment.ts";
import { type FollowerSystem, newStoreDataDir } from "./run-follower.ts";
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
  const chain = chainDirectory(settings);
  const newDataDir = newStoreDataDir(settings);
  const newChain = chainDirectory({ dataDir: newDataDir });
  const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });
  /** Also after a kill. */
  const finishReplacing = async (): Promise<void> => {
    if (existsSync(newChain) && !existsSync(chain)) await rename(newChain, chain);
    await remove(newDataDir);
  };
  let endSupervision = (): void => {};
  return {
    sources: units,
    clock: systemClock,
    log,
    async savedSource() {
      await finishReplacing();
      if (await hasNoStore(settings)) return undefined;
      const store = await openNodeStore(settings, { log });
      try {
        return readSavedSource(store);
      } finally {
        await store.close();
      }
    },
    async open(adopted, signal) {
      if (adopted.dataDir === settings.dataDir) await finishReplacing();
      endSupervision();
      const environment = await createFollowerEnvironment(adopted, { log, levels }, handles, units, signal);
      endSupervision = superviseProcess(environment.supervisor, onBroken);
      return environment;
    },
    removeNew: () => remove(newDataDir),
    async replaceByNew() {
      await rename(chain, join(newDataDir, "old"));
      await finishReplacing();
    },
  };
}
