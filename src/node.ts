/**
 * Builds and wires the whole node; read this file first. Store, wallet, chain, pool and forging run in this thread,
 * which is the only writer. Another thread serves HTTP from snapshots of the same store (`node/api/api.ts`).
 * Everything that comes from outside is in `World` (`node/world.ts`).
 */

import type { JobSender } from "./anchoring/job-sender.ts";
import { Chain } from "./chain/chain.ts";
import { ExtensionIntake } from "./chain/checking/extension-intake.ts";
import { UnsupportedFeatureError } from "./chain/deciding/unsupported-feature.ts";
import { IndexBuilder } from "./chain/jobs/build-indexes.ts";
import type { Settings } from "./config/settings.ts";
import type { FeeVote, NodeControlHandlers } from "./control/index.ts";
import { Forger } from "./forging/forger.ts";
import { allIndexes } from "./indexes/all.ts";
import type { TrustSettings } from "./indexes/trust/settings.ts";
import { Mempool } from "./mempool/mempool.ts";
import { urlOf } from "./node/api/api.ts";
import { indexSettings, readerContext } from "./node/composition.ts";
import { anchoringControl, createSender } from "./node/control/anchoring.ts";
import { nodeControl } from "./node/control/control.ts";
import { ReorganisationLog } from "./node/control/reorganisation-log.ts";
import { DiskMonitor } from "./node/disk-monitor.ts";
import { FeeVoteFile } from "./node/fee-vote-file.ts";
import { HeightScriptRunner } from "./node/height-script-runner.ts";
import { Intake } from "./node/intake.ts";
import { PoolReturner } from "./node/pool-returner.ts";
import { logStartup } from "./node/startup-log.ts";
import type { World } from "./node/world.ts";
import { createPeers, type Peers } from "./peers/peers.ts";
import { rateLimitedLog } from "./runtime/rate-limited-log.ts";
import { createTaskQueue } from "./runtime/time-sliced-queue.ts";
import { every, namedClock } from "./runtime/timers.ts";
import { Preverifier } from "./verification/ahead.ts";

/** How often expired transactions are dropped from the pool, ms. Page 05 §24.1. */
const POOL_CLEANUP_INTERVAL_MS = 300_000;

/** A node. It does nothing before `start`: offline commands only use its chain. */
export interface Node {
  readonly world: World;
  readonly settings: Settings;
  readonly trust: TrustSettings;
  readonly chain: Chain;
  readonly pool: Mempool;
  readonly forger: Forger;
  readonly peers: Peers | undefined;
  /** Sends the jobs of the anchor queue; undefined if there is no queue. */
  readonly sender: JobSender | undefined;
  readonly control: NodeControlHandlers;
  /** `http://<host>:<port>` after the start; undefined without an HTTP interface. */
  readonly url: string | undefined;
  /** Makes the pool follow the chain. Part of `start`. */
  follow(): void;
  /**
   * Starts serving, forging and cleaning up; may be called once.
   * @throws what opening the port throws; the node is stopped then
   */
  start(): Promise<void>;
  /** Stops the node and closes store and wallet. Further calls do nothing. */
  stop(): Promise<void>;
  /** Resolves when the node has ended; rejects if it had to give up. */
  readonly finished: Promise<void>;
}

/**
 * Builds the node of a world and opens its chain: an empty store gets the genesis block. `start` builds missing
 * indexes.
 * @throws what `Chain.open` throws; the caller closes the world then
 */
export function createNode(world: World, settings: Settings): Node {
  const { log, store, wallet, supervisor } = world;
  const { profile, forging } = settings;
  const shutdown = createShutdown(world);
  supervisor.onBroken(shutdown.giveUp);
  const clock = namedClock(world.clock, "node");

  const trust = {
    network: settings.index.trustNetwork,
    root: settings.anchoring.hashAccount ?? wallet.oldest()?.address,
  };
  const disk = new DiskMonitor({
    clock: namedClock(clock, "disk monitor"),
    log,
    attempt: () => chain.probeDisk(),
    resume: () => forger.schedule(),
    giveUp: shutdown.giveUp,
  });
  const chain = Chain.open({
    store,
    profile,
    indexes: allIndexes(indexSettings(settings.index, trust)),
    clock,
    log,
    options: settings.chain,
    onListenerError: (error) => supervisor.failed("chain listener", error),
    onDiskError: (error) => disk.failed(error),
    onUnsupportedFeature: ({ ids, height }) => shutdown.giveUp(new UnsupportedFeatureError(ids, height)),
  });
  const pool = new Mempool(chain, clock, settings.pool);
  const verifier = world.verifier(profile);
  shutdown.defer(() => verifier.close());
  // Clients and peers share one queue for work in this thread.
  const queue = createTaskQueue(clock);
  const ahead = new Preverifier(verifier, rateLimitedLog(log, clock));
  const intake = new Intake(pool, ahead, clock, queue);
  const heightScripts = new HeightScriptRunner({ pool, ahead });
  const poolReturner = new PoolReturner({ chain, pool, ahead, network: profile, clock, log });
  shutdown.defer(() => poolReturner.stop());
  const { peers: peersOptions } = settings;
  const peers =
    peersOptions &&
    createPeers({
      clock: namedClock(clock, "peers"),
      random: world.random,
      transport: world.transport,
      hosts: world.hosts,
      log,
      peersFile:
        peersOptions.connections.peersFile === undefined
          ? undefined
          : world.peersFile(peersOptions.connections.peersFile),
      rules: profile,
      chain,
      pool,
      intake,
      extensions: new ExtensionIntake(chain, verifier, profile, peersOptions.sync, log),
      checks: ahead,
      accounts: wallet,
      readyMs: forging.intervalAfterLastBlockMs,
      blockDelayMs: 1_000 * profile.genesis.averageBlockDelaySeconds,
      publicOnly: profile.name === "mainnet" || profile.name === "testnet",
      options: peersOptions,
    });
  const forger = new Forger({
    chain,
    pool,
    accounts: wallet,
    clock: namedClock(clock, "forging"),
    log,
    network: profile,
    options: forging,
    connections: () => peers?.count ?? 0,
    forged: peers?.forged,
  });
  forger.feeVote = forging.feeVote.toUpperCase() as FeeVote;
  shutdown.defer(() => disk.stop());
  const context = readerContext(settings, chain.rules, trust);
  const sender = createSender({
    world,
    settings,
    context,
    chain,
    pool,
    intake,
    peers,
    giveUp: (error) => disk.failed(error),
  });
  const reorganisations = new ReorganisationLog(clock);
  const control = nodeControl({
    reorganisations,
    resources: world.resources,
    anchoring: anchoringControl(sender, wallet, settings.anchoring),
    chain,
    pool,
    wallet,
    forger,
    intake,
    added: (transaction) => peers?.transactionAdded(transaction),
    peers,
    hosts: world.hosts,
    clock,
    log,
    network: profile,
    diskFault: () => disk.fault !== undefined,
    features: forging.features,
    stop: () => {
      shutdown.stop().catch((error: unknown) => log.error("Stopping failed", { error }));
    },
  });

  let url: string | undefined;
  let adminUrl: string | undefined;
  const follow = (): void => {
    // In the same turn as the commit: a reader of chain, pool and chain again misses no transaction.
    chain.onChange((change) => poolReturner.follow(pool.applyChange(change), change), "follower");
    chain.onChange((change) => reorganisations.follow(change));
    chain.onChange(({ tip }) => {
      heightScripts
        .follow(tip.height)
        .catch((error: unknown) =>
          log.error("Running the scripts of unconfirmed transactions failed", { error }),
        );
    });
  };
  const start = async (): Promise<void> => {
    follow();
    disk.start();
    const indexClock = namedClock(clock, "index builder");
    const indexes = new IndexBuilder({ chain, network: profile, clock: indexClock, log });
    // Before a reader sees rows that were built with other settings.
    indexes.begin();
    // Running jobs end before the store is closed.
    shutdown.defer(() => chain.close());
    if (world.http !== undefined) {
      const api = await world.http.serve({
        settings,
        rules: chain.rules,
        trust,
        store,
        anchors: world.anchors,
        control,
        queue,
        events: chain,
        clock: namedClock(clock, "HTTP thread"),
        log,
        giveUp: shutdown.giveUp,
      });
      shutdown.defer(api.close);
      url = api.url;
      if (api.adminPort !== undefined)
        adminUrl = urlOf(settings.api.adminHost, api.adminPort, settings.api.prefix);
    }
    logStartup({ world, settings, chain, url, adminUrl });
    if (forging.enabled) {
      const voteFile = new FeeVoteFile(forging.feeVoteFile, {
        clock: namedClock(clock, "fee vote file"),
        log,
        files: world.files,
        vote: (vote) => {
          forger.feeVote = vote;
        },
      });
      await voteFile.start();
      shutdown.defer(() => voteFile.stop());
    }
    // A stop was requested during the start.
    if (shutdown.hasBegun()) return;
    shutdown.defer(() => indexes.stop());
    indexes.run().catch((error: unknown) => log.error("Building the indexes failed", { error }));
    shutdown.defer(every(clock, POOL_CLEANUP_INTERVAL_MS, "pool cleanup", () => pool.dropExpired()));
    if (sender !== undefined) {
      shutdown.defer(() => sender.stop());
      shutdown.defer(chain.onChange((change) => sender.follow(change)));
      await sender.start();
      if (shutdown.hasBegun()) return;
    }
    if (peers !== undefined) {
      shutdown.defer(() => peers.stop());
      await peers.start();
      if (shutdown.hasBegun()) return;
    }
    forger.start();
    shutdown.defer(() => forger.stop());
  };
  return {
    world,
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
    start: () =>
      start().catch(async (error: unknown) => {
        await shutdown.stop();
        throw error;
      }),
    stop: shutdown.stop,
    finished: shutdown.finished,
  };
}

/**
 * Builds the node of a world and starts it. When the promise resolves, it forges and answers at `url`.
 * @throws what building and starting throws; the world is closed then
 */
export async function startNode(world: World, settings: Settings): Promise<Node> {
  const node = await createNodeOrClose(world, settings);
  await node.start();
  return node;
}

/** Builds the node of a world; closes the world if that fails. @throws what `createNode` throws */
export async function createNodeOrClose(world: World, settings: Settings): Promise<Node> {
  try {
    return createNode(world, settings);
  } catch (error) {
    await world.close();
    throw error;
  }
}

interface Shutdown {
  /** Registers a step of the shutdown. Steps run in reverse order; the world is closed last. */
  defer(close: () => Promise<void> | void): void;
  hasBegun(): boolean;
  stop(): Promise<void>;
  /** Shuts the node down and rejects `finished` with the reason. */
  giveUp(reason: Error): void;
  readonly finished: Promise<void>;
}

function createShutdown(world: World): Shutdown {
  const open: (() => Promise<void> | void)[] = [world.close];
  const closeAll = async (): Promise<void> => {
    for (const close of open.splice(0).reverse()) await close();
  };
  let finish: () => void = () => {};
  let fail: (error: unknown) => void = () => {};
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve;
    fail = reject;
  });
  // Avoid an unhandled rejection if nobody awaits `finished`.
  finished.catch(() => {});
  let stopping: Promise<void> | undefined;
  return {
    defer: (close) => {
      open.push(close);
    },
    hasBegun: () => stopping !== undefined,
    stop: () => {
      stopping ??= closeAll().then(finish, (error: unknown) => {
        fail(error);
        throw error;
      });
      return stopping;
    },
    giveUp: (reason) => {
      stopping ??= closeAll().finally(() => fail(reason));
      stopping.catch((error: unknown) => world.log.error("Stopping failed", { error }));
    },
    finished,
  };
}
