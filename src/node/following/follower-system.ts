import { existsSync, readFileSync } from "node:fs";
import { rename, rm } from "node:fs/promises";
import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import type { Log, UnitSource } from "../../interfaces.ts";
import type { LogLevels } from "../../runtime/logging/log-levels.ts";
import { superviseProcess } from "../../runtime/supervise-process.ts";
import { systemClock } from "../../runtime/system.ts";
import { HttpUnitSource } from "../../unit-sources/http-unit-source.ts";
import type { EarlyHttpThread } from "../api/http-thread.ts";
import { chainDirectory, hasNoStore, openNodeStore } from "../composition.ts";
import type { HandleBudget } from "../handles.ts";
import { createFollowerEnvironment } from "../system-environment.ts";
import type { FollowerEnvironment } from "./create-follower.ts";
import { type FollowerSystem, newStoreDataDir } from "./run-follower.ts";
import { readSavedSource } from "./saved-source.ts";

/** How followers and gateways differ. */
export interface FollowedParts extends Pick<FollowerSystem, "setting">, Pick<FollowerEnvironment, "nodes"> {
  readonly sources: readonly UnitSource[];
}

/** Returns the sources of a follower: the nodes that it follows over HTTP. */
export function followedNodes({ following: { sources, key, caFile } }: Settings): FollowedParts {
  const ca = caFile === undefined ? undefined : readFileSync(caFile, "utf8");
  const units = sources.map(
    (url) => new HttpUnitSource({ url, key: () => key?.reveal(), ca, clock: systemClock }),
  );
  return { sources: units, setting: "--follow" };
}

/**
 * Returns a follower's system with a store on disk.
 * @param onBroken called at the first internal error, to shut the node down
 */
export function followerSystem(
  { sources, setting, nodes }: FollowedParts,
  settings: Settings,
  log: Log,
  levels: LogLevels,
  handles: HandleBudget,
  onBroken: () => void,
  early?: EarlyHttpThread,
): FollowerSystem {
  const chain = chainDirectory(settings);
  const newDataDir = newStoreDataDir(settings);
  const newChain = chainDirectory({ dataDir: newDataDir });
  const remove = (path: string): Promise<void> => rm(path, { recursive: true, force: true });
  /** Completes `replaceByNew` after a kill. */
  const finishReplacing = async (): Promise<void> => {
    if (existsSync(newChain) && !existsSync(chain)) await rename(newChain, chain);
    await remove(newDataDir);
  };
  let endSupervision = (): void => {};
  return {
    sources,
    setting,
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
      const environment = await createFollowerEnvironment(
        adopted,
        { log, levels },
        handles,
        sources,
        signal,
        early,
      );
      endSupervision = superviseProcess(environment.supervisor, onBroken);
      // A node that fills a new store serves nothing.
      return { ...environment, nodes: adopted.dataDir === settings.dataDir ? nodes : undefined };
    },
    removeNew: () => remove(newDataDir),
    async replaceByNew() {
      await rename(chain, join(newDataDir, "old"));
      await finishReplacing();
    },
  };
}
