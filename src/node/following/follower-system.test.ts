import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import type { Settings } from "../../config/settings.ts";
import { dev } from "../../profiles/index.ts";
import { LogLevels } from "../../runtime/logging/log-levels.ts";
import { settingsOf } from "../../testing/settings.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { openNodeStore } from "../composition.ts";
import { followedNodes, followerSystem } from "./follower-system.ts";
import { newStoreSettings } from "./run-follower.ts";
import { saveSource } from "./saved-source.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function newSystem() {
  const dataDir = mkdtempSync(join(tmpdir(), "holdfast-follower-"));
  folders.push(dataDir);
  const settings: Settings = { ...settingsOf(dev), dataDir };
  const levels = LogLevels.of(settings.logLevel);
  const handles = { connections: 10, warning: undefined };
  return {
    settings,
    dataDir,
    system: followerSystem(followedNodes(settings), settings, silentLog, levels, handles, () => {}),
  };
}

/** Creates a store that names a source. */
async function createStore(settings: Settings, name: string): Promise<void> {
  mkdirSync(settings.dataDir, { recursive: true });
  const store = await openNodeStore(settings);
  saveSource(store, {
    version: 1,
    program: name,
    network: { name: dev.networkName, chainId: dev.chainId, genesis: new Uint8Array(64) },
    store: name,
    settings: {},
    trustRoot: undefined,
  });
  await store.close();
}

test("a new store replaces the one before", async () => {
  const { settings, dataDir, system } = newSystem();
  expect(await system.savedSource()).toBeUndefined();
  await createStore(settings, "old");
  await createStore(newStoreSettings(settings), "new");
  await system.replaceByNew();
  expect((await system.savedSource())?.store).toBe("new");
  expect(existsSync(join(dataDir, "new"))).toBe(false);
});

test("a start after a kill completes the replacement, or removes a new store that was not complete", async () => {
  const { settings, dataDir, system } = newSystem();
  await createStore(settings, "old");
  await createStore(newStoreSettings(settings), "incomplete");
  expect((await system.savedSource())?.store).toBe("old");
  expect(existsSync(join(dataDir, "new"))).toBe(false);
  await createStore(newStoreSettings(settings), "new");
  // The first step of the replacement.
  renameSync(join(dataDir, "chain"), join(dataDir, "new", "old"));
  expect((await system.savedSource())?.store).toBe("new");
  expect(existsSync(join(dataDir, "new"))).toBe(false);
});
