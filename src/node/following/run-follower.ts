import { reasonOf } from "../../bytes/errors.ts";
import { SettingsError } from "../../config/errors.ts";
import type { Settings } from "../../config/settings.ts";
import type { Clock, Log, SourceDescription, UnitSource } from "../../interfaces.ts";
import { UnitSourceError, type UnitSourceFault } from "../../units/source-error.ts";
import { type AdoptedSettings, adoptSettings } from "./adopt-settings.ts";
import { createFollower, type FollowerEnvironment, type FollowerNode } from "./create-follower.ts";
import { FollowFaultError, RebuildError } from "./rebuild-error.ts";

const RETRY_MS = 5_000;
const BEFORE_GENESIS = { height: 0, sequence: 0, id: new Uint8Array(0) };
/** These faults may end without an operator. */
const TRANSIENT_FAULTS: readonly UnitSourceFault[] = ["unreachable", "stalled", "busy"];

/** What a follower needs of its machine. */
export interface FollowerSystem {
  readonly sources: readonly UnitSource[];
  readonly clock: Pick<Clock, "after">;
  readonly log: Log;
  /** Returns the source that the existing store followed last; undefined without a store. */
  savedSource(): Promise<SourceDescription | undefined>;
  open(settings: Settings, signal: AbortSignal): Promise<FollowerEnvironment>;
  /** Removes the store, so that it is filled again. */
  clear(): Promise<void>;
}

interface RunningFollower {
  readonly node: FollowerNode;
  stop(): Promise<void>;
  /** @throws FollowFaultError if the store could not follow its source, also after it had been filled again */
  readonly finished: Promise<void>;
}

async function describe(source: UnitSource, signal: AbortSignal): Promise<SourceDescription | undefined> {
  const glance = new AbortController();
  const end = (): void => glance.abort();
  signal.addEventListener("abort", end, { once: true });
  try {
    for await (const frame of source.open(BEFORE_GENESIS, glance.signal))
      if (frame.kind === "source") return frame.description;
    return undefined;
  } finally {
    signal.removeEventListener("abort", end);
    glance.abort();
  }
}

/**
 * Adopts the settings of the first source that answers, or of the source that the store followed last.
 * @throws SettingsError if each source is refused: of another network, with other settings, without access
 */
async function adopt(
  { sources, clock, log, savedSource }: FollowerSystem,
  settings: Settings,
  signal: AbortSignal,
): Promise<AdoptedSettings> {
  for (;;) {
    const reasons: string[] = [];
    let isHopeless = true;
    for (const source of sources) {
      try {
        const description = await describe(source, signal);
        signal.throwIfAborted();
        if (description === undefined) continue;
        const adopted = adoptSettings(settings, description);
        if (adopted.ok) return adopted.value;
        reasons.push(`${source.name}: ${adopted.error}`);
      } catch (error) {
        if (!(error instanceof UnitSourceError)) throw error;
        reasons.push(reasonOf(error));
        if (TRANSIENT_FAULTS.includes(error.fault)) isHopeless = false;
      }
    }
    if (isHopeless) throw new SettingsError(reasons.map((reason) => `--follow: ${reason}`));
    const saved = await savedSource();
    const adopted = saved && adoptSettings(settings, saved);
    if (adopted?.ok === true) {
      log.warn("No source answers: the node starts with the settings that it adopted before", {
        reason: reasons.join("; "),
      });
      return adopted.value;
    }
    log.warn(`No source answers: trying again in ${RETRY_MS / 1_000} s`, { reason: reasons.join("; ") });
    await new Promise<void>((resolve) => {
      const end = (): void => {
        cancel();
        signal.removeEventListener("abort", end);
        resolve();
      };
      const cancel = clock.after(RETRY_MS, end);
      signal.addEventListener("abort", end, { once: true });
    });
    signal.throwIfAborted();
  }
}

/**
 * Builds and starts a node that follows others. If its store cannot follow them any more, it is filled again once.
 * @param signal ends the start at its next step
 * @throws SettingsError; what opening, building and starting throws; the reason of `signal`
 */
export async function runFollower(
  system: FollowerSystem,
  settings: Settings,
  signal: AbortSignal,
): Promise<RunningFollower> {
  const { log } = system;
  const stopping = new AbortController();
  const begin = async (startSignal: AbortSignal): Promise<FollowerNode> => {
    const adopted = await adopt(system, settings, startSignal);
    const environment = await system.open(adopted.settings, startSignal);
    let node: FollowerNode;
    try {
      startSignal.throwIfAborted();
      node = createFollower(environment, adopted);
    } catch (error) {
      await environment.close();
      throw error;
    }
    await node.start(startSignal);
    return node;
  };
  let node = await begin(signal);
  const run = async (): Promise<void> => {
    for (let isRebuilt = false; ; ) {
      try {
        return await node.finished;
      } catch (error) {
        if (!(error instanceof RebuildError)) throw error;
        const wasCurrent = node.info.lagMs !== undefined;
        if (isRebuilt && !wasCurrent)
          throw new FollowFaultError(`The store was filled again, and still cannot follow: ${error.message}`);
        log.error("The store cannot follow its source: it is removed and filled again", {
          reason: error.message,
        });
        await system.clear();
        if (stopping.signal.aborted) return;
        isRebuilt = true;
        node = await begin(stopping.signal);
      }
    }
  };
  const stopped = new Error("Stopped");
  const finished = run().catch((error: unknown) => {
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
