/**
 * Builds and wires the whole node; read this file first. Store, wallet, chain, pool and forging run in this
 * thread, which alone writes the store. All external dependencies are in `Environment` (`node/environment.ts`).
 */

import type { JobSender } from "./anchoring/job-sender.ts";
import type { Chain } from "./chain/chain.ts";
import { ExtensionIntake } from "./chain/checking/extension-intake.ts";
import { IndexBuilder } from "./chain/jobs/build-indexes.ts";
import type { Settings } from "./config/settings.ts";
import type { FeeVote, NodeControlHandlers } from "./control/index.ts";
import { Forger } from "./forging/forger.ts";
import type { TrustSettings } from "./indexes/trust/settings.ts";
import { Mempool } from "./mempool/mempool.ts";
import { startBackups } from "./node/backups/backup-schedule.ts";
import { readerContext } from "./node/composition.ts";
import { anchoringControl, createSender } from "./node/control/anchoring.ts";
import { nodeControl } from "./node/control/control.ts";
import { ReorganisationLog } from "./node/control/reorganisation-log.ts";
import type { Environment } from "./node/environment.ts";
import { FeeVoteFile } from "./node/fee-vote-file.ts";
import { startHeartbeat } from "./node/heartbeat.ts";
import { HeightScriptRunner } from "./node/height-script-runner.ts";
import { Intake } from "./node/intake.ts";
import { observeNode } from "./node/metrics/observe-node.ts";
import { openChain } from "./node/open-chain.ts";
import { PoolReturner } from "./node/pool-returner.ts";
import { serveInterfaces } from "./node/serving.ts";
import { createShutdown } from "./node/shutdown.ts";
import { logStartup } from "./node/startup-log.ts";
import { monitorUnchecked } from "./node/unchecked/unchecked-monitor.ts";
import { createPeers, type Peers } from "./peers/peers.ts";
import { areaLog } from "./runtime/area-log.ts";
import { rateLimitedLog } from "./runtime/rate-limited-log.ts";
import { createTaskQueue } from "./runtime/time-sliced-queue.ts";
import { every, namedClock } from "./runtime/timers.ts";
import { Preverifier } from "./verification/ahead.ts";

/** Page 05 §24.1. */
const POOL_CLEANUP_INTERVAL_MS = 300_000;

/** A node is idle until `start`: offline commands only use its chain. */
export interface Node {
  readonly environment: Environment;
  readonly settings: Settings;
  readonly trust: TrustSettings;
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly forger: Forger;
  readonly peers: Peers | undefined;
  /** Sends pending anchors; undefined without their store. */
  readonly sender: JobSender | undefined;
  readonly control: NodeControlHandlers;
  /** `http://<host>:<port>` with the path prefix; undefined before the start and without HTTP. */
  readonly url: string | undefined;
  /** Makes pool, metrics and reorganisation log follow the chain. `start` calls this. */
  follow(): void;
  /**
   * Starts serving, forging and cleanup; call this once. Stops the node on failure.
   * @param signal aborts the start before its next step
   * @throws if a port cannot be opened; the reason of `signal`
   */
  start(signal?: AbortSignal): Promise<void>;
  /** Stops the node and closes store and wallet. Idempotent. */
  stop(): Promise<void>;
  /** Resolves when the node has stopped; rejects if a fault stopped it. */
  readonly finished: Promise<void>;
}

/**
 * Opens the chain. An empty store gets the genesis block; `start` builds missing indexes.
 * @throws what `Chain.open` throws; the caller must then close the environment
 */
export function createNode(environment: Environment, settings: Settings): Node {
  const { log, metrics, store, wallet, supervisor } = environment;
  const { profile, forging } = settings;
  const shutdown = createShutdown(environment);
  supervisor.onBroken(shutdown.giveUp);
  const clock = namedClock(environment.clock, "node");

  const trust = {
    network: settings.index.trustNetwork,
    root: settings.anchoring.hashAccount ?? wallet.oldest()?.address,
  };
  const { chain, disk, space } = openChain({
    environment,
    settings,
    trust,
    clock,
    shutdown,
    onDiskRecovered: () => forger.schedule(),
  });
  const pool = new Mempool(chain, clock, settings.pool, metrics);
  const verifier = environment.verifier(profile);
  shutdown.defer(() => verifier.close());
  // Clients and peers share this queue for work in this thread.
  const queue = createTaskQueue(clock);
  const preverifier = new Preverifier(verifier, rateLimitedLog(areaLog(log, "pool"), clock));
  const intake = new Intake(pool, preverifier, clock, queue, () => space.fault !== undefined);
  const heightScripts = new HeightScriptRunner({ pool, preverifier });
  const poolReturner = new PoolReturner({
    chain,
    pool,
    preverifier,
    network: profile,
    clock,
    log: areaLog(log, "pool"),
  });
  shutdown.defer(() => poolReturner.stop());
  const { peers: peersOptions } = settings;
  const peers =
    peersOptions &&
    createPeers({
      clock: namedClock(clock, "peers"),
      random: environment.random,
      transport: environment.transport,
      hosts: environment.hosts,
      log: areaLog(log, "peers"),
      peersFile:
        peersOptions.connections.peersFile === undefined
          ? undefined
          : environment.peersFile(peersOptions.connections.peersFile),
      rules: profile,
      chain,
      pool,
      intake,
      extensions: new ExtensionIntake(chain, verifier, profile, peersOptions.sync, areaLog(log, "sync")),
      checks: preverifier,
      accounts: wallet,
      maxChainAgeMs: forging.intervalAfterLastBlockMs,
      blockDelayMs: 1_000 * profile.genesis.averageBlockDelaySeconds,
      publicOnly: profile.name === "mainnet" || profile.name === "testnet",
      options: peersOptions,
      metrics: environment.metrics,
    });
  const onSettled = (): void => forger.schedule();
  const unchecked = monitorUnchecked(environment, settings, { chain, giveUp: shutdown.giveUp, onSettled });
  const forger = new Forger({
    chain,
    pool,
    accounts: wallet,
    clock: namedClock(clock, "forging"),
    log: areaLog(log, "forging"),
    network: profile,
    options: forging,
    connections: () => peers?.count ?? 0,
    isProvisional: () => unchecked.isProvisional,
    forged: peers?.forged,
    metrics,
  });
  forger.feeVote = forging.feeVote.toUpperCase() as FeeVote;
  shutdown.defer(() => disk.stop());
  shutdown.defer(() => space.stop());
  const context = readerContext(settings, chain.rules, trust);
  const sender = createSender({
    environment,
    settings,
    context,
    chain,
    pool,
    intake,
    peers,
    isProvisional: () => unchecked.isProvisional,
    giveUp: (error) => disk.onWriteError(error),
  });
  const reorganisations = new ReorganisationLog(clock, chain);
  const control = nodeControl({
    reorganisations,
    resources: environment.resources,
    anchoring: anchoringControl(
      sender,
      wallet,
      settings.anchoring,
      () => space.fault !== undefined,
      environment.anchors,
    ),
    chain,
    pool,
    wallet,
    forger,
    intake,
    onAdded: (transaction) => peers?.transactionAdded(transaction),
    peers,
    hosts: environment.hosts,
    clock,
    log,
    logLevels: environment.logLevels,
    network: profile,
    diskFault: () => (disk.fault ?? space.fault) !== undefined,
    isDiskFailing: () => disk.fault !== undefined,
    diskSpace: () => space.info,
    clockErrorMs: environment.clockErrorMs,
    isStopping: shutdown.hasBegun,
    features: forging.features,
    stop: () => {
      if (!shutdown.hasBegun()) log.info("Stopping (API request)");
      shutdown.stop().catch((error: unknown) => log.error("Stopping failed", { error }));
    },
  });

  let url: string | undefined;
  const follow = (): void => {
    // Runs within the commit, so that readers miss no transaction.
    chain.onChange((change) => poolReturner.follow(pool.applyChange(change), change), "follower");
    chain.onChange((change) => reorganisations.follow(change));
    observeNode({ metrics, store, chain, pool, forger, clock, settings });
    chain.onChange(({ tip }) => {
      heightScripts
        .follow(tip.height)
        .catch((error: unknown) =>
          log.error("Running the scripts of unconfirmed transactions failed", { error }),
        );
    });
  };
  const start = async (signal: AbortSignal | undefined): Promise<void> => {
    /** @throws the reason of `signal` */
    const isStopped = (): boolean => {
      signal?.throwIfAborted();
      return shutdown.hasBegun();
    };
    follow();
    disk.start();
    const indexClock = namedClock(clock, "index builder");
    const indexes = new IndexBuilder({
      chain,
      network: profile,
      clock: indexClock,
      log: areaLog(log, "index"),
    });
    // Must run before HTTP starts: the store's indexes may belong to other settings.
    indexes.begin();
    // Running jobs must end before the store closes.
    shutdown.defer(() => chain.close());
    shutdown.defer(() => unchecked.stop());
    unchecked.start();
    const serving = { environment, settings, chain, trust, control, queue, clock, shutdown };
    const served = await serveInterfaces(serving, signal);
    if (served === undefined) return;
    url = served.url;
    logStartup({ environment, settings, chain, ...served });
    if (forging.enabled) {
      const voteFile = new FeeVoteFile(forging.feeVoteFile, {
        clock: namedClock(clock, "fee vote file"),
        log: areaLog(log, "forging"),
        files: environment.files,
        vote: (vote) => {
          forger.feeVote = vote;
        },
      });
      await voteFile.start();
      shutdown.defer(() => voteFile.stop());
      if (isStopped()) return;
    }
    // A node on a full disk must not begin to forge.
    await space.start();
    if (isStopped()) return;
    shutdown.defer(() => indexes.stop());
    indexes
      .run()
      .catch((error: unknown) => areaLog(log, "index").error("Building the indexes failed", { error }));
    shutdown.defer(every(clock, POOL_CLEANUP_INTERVAL_MS, "pool cleanup", () => pool.dropExpired()));
    if (sender !== undefined) {
      shutdown.defer(() => sender.stop());
      shutdown.defer(chain.onChange((change) => sender.onChainChange(change)));
      await sender.start();
      if (isStopped()) return;
    }
    if (peers !== undefined) {
      shutdown.defer(() => peers.stop());
      await peers.start();
      if (isStopped()) return;
    }
    forger.start();
    shutdown.defer(() => forger.stop());
    shutdown.defer(
      startHeartbeat({
        clock,
        log,
        chain,
        pool,
        peers: () => peers?.count,
        diskFree: () => space.info.freeBytes,
      }),
    );
    shutdown.defer(startBackups({ clock, log, metrics, runner: environment.backups }, settings.backup));
  };
  return {
    environment,
    settings,
    trust,
    chain,
    pool,
    forger,
    peers,
    sender,
    control,
    get url() {
      return url;
    },
    follow,
    start: (signal) =>
      start(signal).catch(async (error: unknown) => {
        await shutdown.stop();
        // After an abort, the unfinished HTTP thread fails too: throw the reason instead.
        signal?.throwIfAborted();
        throw error;
      }),
    stop: shutdown.stop,
    finished: shutdown.finished,
  };
}

/**
 * @param signal aborts the start before its next step
 * @throws what building and starting throws; the reason of `signal`. The environment is then closed.
 */
export async function startNode(
  environment: Environment,
  settings: Settings,
  signal?: AbortSignal,
): Promise<Node> {
  const node = await createNodeOrClose(environment, settings, signal);
  await node.start(signal);
  return node;
}

/** @throws what `createNode` throws; the reason of `signal` */
export async function createNodeOrClose(
  environment: Environment,
  settings: Settings,
  signal?: AbortSignal,
): Promise<Node> {
  try {
    signal?.throwIfAborted();
    return createNode(environment, settings);
  } catch (error) {
    await environment.close();
    throw error;
  }
}
