import { join } from "node:path";
import { genesisBlock } from "../../blocks/genesis.ts";
import { bytesEqual } from "../../bytes/compare.ts";
import { reasonOf } from "../../bytes/errors.ts";
import { chainStart } from "../../chain/reading/changes.ts";
import { SettingsError } from "../../config/errors.ts";
import type { Settings } from "../../config/settings.ts";
import { failed, ok, type Result } from "../../errors/result.ts";
import type { Clock, Log, SourceDescription, UnitSource } from "../../interfaces.ts";
import { dev, mainnet, testnet } from "../../profiles/index.ts";
import { pause } from "../../runtime/timers.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { UnitSourceError, type UnitSourceFault } from "../../units/source-error.ts";
import { type AdoptedSettings, adoptSettings } from "./adopt-settings.ts";
import { createFollower, type FollowerEnvironment, type FollowerNode } from "./create-follower.ts";
import { FollowFaultError } from "./follow-fault-error.ts";
import type { ChainToReplace } from "./follow-loop.ts";
import { findInStream } from "./source-stream.ts";

const RETRY_DELAY_MS = 5_000;
/** Delay after a disk error of a new store, ms. */
const DISK_RETRY_DELAY_MS = 60_000;
/** Faults that may end without the operator's action. */
const TRANSIENT_FAULTS: readonly UnitSourceFault[] = ["unreachable", "stalled", "busy"];

const FAULT_HINT =
  "compare the versions of this node and its source, and run `holdfast verify` at the source";

export interface FollowerSystem {
  readonly sources: readonly UnitSource[];
  /** Flag naming the sources. */
  readonly setting: "--follow" | "--from";
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
  /** Returns the source followed last; undefined without a store. */
  savedSource(): Promise<SourceDescription | undefined>;
  /** Opens or creates the store in the settings' data directory. */
  open(settings: Settings, signal: AbortSignal): Promise<FollowerEnvironment>;
  /** Removes an unfinished new store (`newStoreSettings`). */
  removeNew(): Promise<void>;
  /** Replaces the store by the new one; both must be closed. */
  replaceByNew(): Promise<void>;
}

export function newStoreDataDir({ dataDir }: Pick<Settings, "dataDir">): string {
  return join(dataDir, "new");
}

/** Returns the settings of a follower that fills a new store next to the old one: it has no ports and makes no backups. */
export function newStoreSettings(settings: Settings): Settings {
  return {
    ...settings,
    dataDir: newStoreDataDir(settings),
    api: { ...settings.api, enabled: false },
    control: { ...settings.control, port: undefined },
    monitoring: { ...settings.monitoring, metricsPort: undefined },
    backup: { ...settings.backup, everyMs: 0 },
  };
}

export interface RunningFollower {
  /** Changes when a new store replaces the old one. */
  readonly node: FollowerNode;
  stop(): Promise<void>;
  /** Rejects with FollowFaultError if even a refilled store could not follow its source. */
  readonly finished: Promise<void>;
}

/**
 * Waits for a source that answers, and returns the result of `accept`.
 * @param fallback called if no source answers; if it returns undefined, the sources are asked again
 * @throws SettingsError if no source can be used: each has another network or other settings, or denies access
 */
async function askSources<T>(
  { sources, clock, log, setting }: Pick<FollowerSystem, "sources" | "clock" | "log" | "setting">,
  signal: AbortSignal,
  accept: (description: SourceDescription) => Result<T, string>,
  fallback: (reason: string) => Promise<T | undefined> = async () => undefined,
): Promise<T> {
  for (let logged: string | undefined; ; ) {
    const reasons: string[] = [];
    let isPermanent = true;
    for (const source of sources) {
      try {
        const description = await findInStream(source, chainStart, signal, (frame) =>
          frame.kind === "source" ? frame.description : undefined,
        );
        signal.throwIfAborted();
        if (description === undefined)
          throw new UnitSourceError("unreachable", `${source.name} ended the stream without a description`);
        const accepted = accept(description);
        if (accepted.ok) return accepted.value;
        reasons.push(`${source.name}: ${accepted.error}`);
      } catch (error) {
        if (!(error instanceof UnitSourceError)) throw error;
        reasons.push(reasonOf(error));
        if (TRANSIENT_FAULTS.includes(error.fault)) isPermanent = false;
      }
    }
    if (isPermanent) throw new SettingsError(reasons.map((reason) => `${setting}: ${reason}`));
    const reason = reasons.join("; ");
    const found = await fallback(reason);
    if (found !== undefined) return found;
    if (reason !== logged)
      log.warn(`No source answers: trying again every ${RETRY_DELAY_MS / 1_000} s`, { reason });
    logged = reason;
    await pause(clock, RETRY_DELAY_MS, signal);
    signal.throwIfAborted();
  }
}

/** @throws like `runFollower` */
async function startFollower(
  system: FollowerSystem,
  settings: Settings,
  signal: AbortSignal,
  toReplace?: ChainToReplace,
): Promise<FollowerNode> {
  const adopted = await adopt(system, settings, signal);
  const environment = await system.open(adopted.settings, signal);
  let node: FollowerNode;
  try {
    signal.throwIfAborted();
    node = createFollower(environment, adopted, toReplace);
  } catch (error) {
    await environment.close();
    throw error;
  }
  await node.start(signal);
  return node;
}

/**
 * Fills a new store up to the source's newest unit. Only a source with a chain better than `toReplace` is followed.
 * @throws FollowFaultError if the new store cannot follow either; the reason of `signal`
 */
async function fillNewStore(
  system: FollowerSystem,
  settings: Settings,
  toReplace: ChainToReplace,
  signal: AbortSignal,
): Promise<void> {
  await system.removeNew();
  // The settings saved in the current store may be outdated.
  const withoutSaved = { ...system, savedSource: async () => undefined };
  const filler = await startFollower(withoutSaved, newStoreSettings(settings), signal, toReplace);
  const stop = (): void => void filler.stop().catch(() => {});
  signal.addEventListener("abort", stop, { once: true });
  try {
    const fault = await Promise.race([filler.current, filler.finished, filler.mustRebuild]);
    signal.throwIfAborted();
    if (fault !== undefined)
      throw new FollowFaultError(`A new store cannot follow either: ${fault}`, { hint: FAULT_HINT });
  } finally {
    signal.removeEventListener("abort", stop);
    await filler.stop();
  }
}

/**
 * Like `fillNewStore`, but begins again after disk errors. Meanwhile, the old store answers.
 * @throws the reason of `signal`; other errors of `fillNewStore`
 */
async function fillWhenPossible(
  system: FollowerSystem,
  settings: Settings,
  toReplace: () => ChainToReplace,
  signal: AbortSignal,
): Promise<void> {
  for (;;) {
    try {
      await fillNewStore(system, settings, toReplace(), signal);
      return;
    } catch (error) {
      if (signal.aborted || !(error instanceof DiskError)) throw error;
      await system.removeNew();
      system.log.error(`A new store cannot be filled: trying again in ${DISK_RETRY_DELAY_MS / 1_000} s`, {
        reason: reasonOf(error),
      });
      await pause(system.clock, DISK_RETRY_DELAY_MS, signal);
      signal.throwIfAborted();
    }
  }
}

/**
 * Adopts the settings of the first source that answers; if none does, those of the source followed last.
 * @throws SettingsError
 */
function adopt(system: FollowerSystem, settings: Settings, signal: AbortSignal): Promise<AdoptedSettings> {
  const accept = (description: SourceDescription) => adoptSettings(settings, description);
  return askSources(system, signal, accept, async (reason) => {
    const saved = await system.savedSource();
    const adopted = saved && adoptSettings(settings, saved);
    if (adopted?.ok !== true) return undefined;
    system.log.warn("No source answers: the node starts with the settings that it adopted before", {
      reason,
    });
    return adopted.value;
  });
}

/**
 * Returns the network's name from the first source that answers.
 * @throws SettingsError for an unknown network
 */
export function networkOfSources(
  system: Pick<FollowerSystem, "sources" | "clock" | "log" | "setting">,
  signal: AbortSignal,
): Promise<string> {
  return askSources(system, signal, networkOf);
}

/** Returns the name of a source's network, if known here. */
export function networkOf({ network: { name, genesis } }: SourceDescription): Result<string, string> {
  const profile = [mainnet, testnet, dev].find((one) => bytesEqual(genesisBlock(one).signature, genesis));
  return profile === undefined
    ? failed(`it has the chain of ${name}: name its genesis file (--genesis)`)
    : ok(profile.name);
}

/**
 * Builds and starts a follower. If its store cannot follow any more, the follower answers from it until a new one is
 * filled.
 * @param signal aborts the start before its next step
 * @throws SettingsError; what opening, building and starting throws; the reason of `signal`
 */
export async function runFollower(
  system: FollowerSystem,
  settings: Settings,
  signal: AbortSignal,
): Promise<RunningFollower> {
  const { log } = system;
  const stopping = new AbortController();
  const stopped = new Error("Stopped");
  let node = await startFollower(system, settings, signal);
  const run = async (): Promise<void> => {
    for (let isNew = false; ; isNew = true) {
      const reason = await Promise.race([node.finished, node.mustRebuild]);
      if (reason === undefined) return;
      if (isNew && node.info.lagMs === undefined)
        throw new FollowFaultError(`The store was filled again, and still cannot follow: ${reason}`, {
          hint: FAULT_HINT,
        });
      log.error(
        "The store cannot follow its source: a new one is being filled, and this one answers until then",
        {
          reason,
        },
      );
      const filling = new AbortController();
      const stopFilling = (): void => filling.abort(stopped);
      node.finished.then(stopFilling, stopFilling);
      try {
        await fillWhenPossible(system, settings, () => node.toReplace, filling.signal);
      } catch (error) {
        if (filling.signal.aborted) return node.finished;
        throw error;
      }
      log.info("The new store has the source's newest block: restarting with it");
      await node.stop();
      await system.replaceByNew();
      node = await startFollower(system, settings, stopping.signal);
      if (stopping.signal.aborted) await node.stop();
    }
  };
  const finished = run().catch(async (error: unknown) => {
    await node.stop();
    if (error !== stopped) throw error;
  });
  // Avoid an unhandled rejection if nobody awaits `finished`.
  finished.catch(() => {});
  return {
    get node() {
      return node;
    },
    stop: async () => {
      stopping.abort(stopped);
      await node.stop();
      await finished;
    },
    finished,
  };
}
