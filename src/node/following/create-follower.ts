/**
 * Builds a node that follows others: store, chain and HTTP as in `node.ts`, without peers, pool, wallet and forging.
 */
import { FollowState } from "../../api/following/follow-state.ts";
import type { Chain } from "../../chain/chain.ts";
import { Follower } from "../../chain/following/follower.ts";
import {
  addRevertedUnits,
  checkRevertedRecords,
  isUnitKnown,
} from "../../chain/following/reverted-records.ts";
import { IndexBuilder } from "../../chain/jobs/build-indexes.ts";
import { lowestRollbackHeight } from "../../chain/jobs/rollback.ts";
import { persistUnits } from "../../chain/reading/common-record.ts";
import { lastSequence } from "../../chain/reading/micro-blocks.ts";
import { headerRow } from "../../chain/reading/rows.ts";
import type { ChainCursor, SourceDescription, UnitSource } from "../../interfaces.ts";
import { areaLog } from "../../runtime/area-log.ts";
import { createTaskQueue } from "../../runtime/time-sliced-queue.ts";
import { namedClock } from "../../runtime/timers.ts";
import type { Store } from "../../storage/store.ts";
import type { NetworkRules } from "../../transactions/index.ts";
import { startBackups } from "../backups/backup-schedule.ts";
import type { StoreEnvironment } from "../environment.ts";
import { startHeartbeat } from "../heartbeat.ts";
import { observeStoredChain } from "../metrics/observe-node.ts";
import { openChain } from "../open-chain.ts";
import { serveInterfaces } from "../serving.ts";
import { createShutdown } from "../shutdown.ts";
import { type AdoptedSettings, settingsFault } from "./adopt-settings.ts";
import { type ChainToReplace, type FollowedChain, type FollowInfo, FollowLoop } from "./follow-loop.ts";
import { followerControl } from "./follower-control.ts";
import type { NodePool } from "./gateway/node-pool.ts";
import { observeFollowing } from "./metrics.ts";
import { readSavedSource, saveSource } from "./saved-source.ts";

export interface FollowerEnvironment extends StoreEnvironment {
  /** In the order of the settings. */
  readonly sources: readonly UnitSource[];
  /** A gateway's nodes. */
  readonly nodes?: NodePool | undefined;
}

export interface FollowerNode {
  readonly chain: Chain;
  readonly info: FollowInfo;
  /** Describes this chain to the node that fills a replacement store. */
  readonly toReplace: ChainToReplace;
  /** `http://<host>:<port>` with the path prefix; undefined before the start and without HTTP. */
  readonly url: string | undefined;
  /** Starts serving and following; like `Node.start`. */
  start(signal?: AbortSignal): Promise<void>;
  /** Stops the node and closes its store. Idempotent. */
  stop(): Promise<void>;
  /** Resolves when the node has stopped; rejects if a fault stopped it. */
  readonly finished: Promise<void>;
  /** Resolves when the node first has its source's newest unit. */
  readonly current: Promise<void>;
  /** Resolves with the reason when this store cannot follow any more. The node still answers reads. */
  readonly mustRebuild: Promise<string>;
}

function followedChain(
  chain: Chain,
  follower: Follower,
  store: Pick<Store, "write">,
  network: NetworkRules,
): FollowedChain {
  return {
    tip: () => ({ cursor: follower.position, score: chain.tip.score }),
    persists: () => chain.read(persistUnits),
    newestAt: (height) =>
      chain.read((reader) => ({
        height,
        sequence: lastSequence(reader, height),
        id: headerRow(reader, height).signature.slice(),
      })),
    lowestUndoHeight: () => chain.read(lowestRollbackHeight),
    addReverted: async (records) => {
      const isKnown = (unit: ChainCursor) => chain.read((reader) => isUnitKnown(reader, unit));
      const units = await checkRevertedRecords(records, network, isKnown);
      if (units.length === 0) return 0;
      return chain.whenFree(() => store.write((batch) => addRevertedUnits(batch, units)));
    },
    apply: (change) => follower.apply(change),
  };
}

/**
 * Opens the chain. An empty store gets the genesis block.
 * @param toReplace chain of the old store, if this node fills a new one to replace it
 * @throws what `Chain.open` throws; the caller must then close the environment
 */
export function createFollower(
  environment: FollowerEnvironment,
  adopted: AdoptedSettings,
  toReplace?: ChainToReplace,
): FollowerNode {
  const { log, metrics, store, supervisor } = environment;
  const { settings, trust } = adopted;
  const { maxLagMs } = settings.following;
  const shutdown = createShutdown(environment);
  supervisor.onBroken(shutdown.giveUp);
  const clock = namedClock(environment.clock, "follower");
  const { chain, disk, space } = openChain({
    environment,
    settings,
    trust,
    clock,
    shutdown,
    onDiskRecovered: () => {},
  });
  const verifier = environment.verifier(settings.profile);
  shutdown.defer(() => verifier.close());
  const follower = new Follower({
    chain,
    network: settings.profile,
    verifier,
    checks: settings.following.check,
    log: areaLog(log, "sync"),
  });
  const state = new FollowState();
  let saved = readSavedSource(store);
  let onCurrent: () => void = () => {};
  const current = new Promise<void>((resolve) => {
    onCurrent = resolve;
  });
  let onRebuild: (reason: string) => void = () => {};
  const mustRebuild = new Promise<string>((resolve) => {
    onRebuild = resolve;
  });
  const loop = new FollowLoop({
    chain: followedChain(chain, follower, store, settings.profile),
    sources: environment.sources,
    clock,
    log: areaLog(log, "sync"),
    state,
    check: (description) => settingsFault(adopted, description),
    lastStore: {
      get: () => saved?.store,
      set: async (description: SourceDescription) => {
        await chain.whenFree(() => saveSource(store, description));
        saved = description;
      },
    },
    toReplace,
    onCurrent,
    onRebuild,
    onError: (error) => supervisor.failed("follower", error),
  });
  shutdown.defer(async () => {
    environment.nodes?.close();
    for (const source of environment.sources) await source.close?.();
  });
  const control = followerControl({
    startedAt: clock.now(),
    progress: () => ({ cursor: follower.position, score: chain.tip.score }),
    nodes: environment.nodes,
    info: () => loop.info,
    maxLagMs,
    hasDiskFault: () => disk.fault !== undefined,
    diskSpace: () => space.info,
    clockErrorMs: environment.clockErrorMs,
    resources: environment.resources,
    logLevels: environment.logLevels,
    log,
    isStopping: shutdown.hasBegun,
    stop: () => {
      if (!shutdown.hasBegun()) log.info("Stopping (API request)");
      shutdown.stop().catch((error: unknown) => log.error("Stopping failed", { error }));
    },
  });
  shutdown.defer(() => disk.stop());
  shutdown.defer(() => space.stop());

  let url: string | undefined;
  const start = async (signal: AbortSignal | undefined): Promise<void> => {
    observeStoredChain({ metrics, store, chain, clock });
    observeFollowing(metrics, loop, environment.nodes);
    environment.nodes?.start();
    disk.start();
    const indexes = new IndexBuilder({
      chain,
      network: settings.profile,
      clock: namedClock(clock, "index builder"),
      log: areaLog(log, "index"),
    });
    // Must run before HTTP starts: the store's indexes may belong to other settings.
    indexes.begin();
    shutdown.defer(() => chain.close());
    const queue = createTaskQueue(clock);
    const followState = state.shared;
    const serving = { environment, settings, chain, trust, control, queue, clock, shutdown, followState };
    const served = await serveInterfaces(serving, signal);
    if (served === undefined) return;
    url = served.url;
    log.info(
      `Network ${settings.profile.name} (${settings.profile.networkName}), height ${chain.tip.height}`,
      {
        dataDir: settings.dataDir,
        follows: environment.sources.map(({ name }) => name).join(", "),
      },
    );
    log.info(url === undefined ? "The HTTP interface is disabled" : `HTTP interface at ${url}`);
    await space.start();
    signal?.throwIfAborted();
    if (shutdown.hasBegun()) return;
    shutdown.defer(() => indexes.stop());
    indexes
      .run()
      .catch((error: unknown) => areaLog(log, "index").error("Building the indexes failed", { error }));
    shutdown.defer(() => loop.stop());
    loop.start();
    shutdown.defer(
      startHeartbeat({ clock, log, chain, peers: () => undefined, diskFree: () => space.info.freeBytes }),
    );
    shutdown.defer(startBackups({ clock, log, metrics, runner: environment.backups }, settings.backup));
  };
  return {
    chain,
    get info() {
      return loop.info;
    },
    get toReplace() {
      return { score: chain.tip.score, store: saved?.store };
    },
    get url() {
      return url;
    },
    start: (signal) =>
      start(signal).catch(async (error: unknown) => {
        await shutdown.stop();
        // After an abort, the HTTP thread fails too: throw the reason instead.
        signal?.throwIfAborted();
        throw error;
      }),
    stop: shutdown.stop,
    finished: shutdown.finished,
    current,
    mustRebuild,
  };
}
