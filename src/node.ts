/**
 * The whole node, wired: read this first. Store, wallet, chain, pool and forging live in this thread, which is the
 * only writer; HTTP is served by another one over snapshots of the same store (`node/api.ts`).
 */

import { Chain } from "./chain/chain.ts";
import { UnsupportedFeatureError } from "./chain/deciding/unsupported-feature.ts";
import type { Settings } from "./config/settings.ts";
import { walletOptions } from "./config/wallet-options.ts";
import { addressText } from "./crypto/addresses.ts";
import { Forger } from "./forging/forger.ts";
import { allIndexes } from "./indexes/all.ts";
import type { TrustSettings } from "./indexes/trust.ts";
import type { Clock, FeeVote, Log } from "./interfaces.ts";
import { Mempool } from "./mempool/mempool.ts";
import { type ApiServer, type ApiStart, hasOpenKeyRoutes, startApiThread } from "./node/api.ts";
import { chainDirectory, networkIdentity } from "./node/composition.ts";
import { nodeControl } from "./node/control.ts";
import { FeeVoteFile } from "./node/fee-vote-file.ts";
import { systemClock } from "./node/system.ts";
import { openStore, type Store } from "./storage/store.ts";
import { openWallet } from "./wallet/open.ts";
import type { Wallet } from "./wallet/wallet.ts";

/** How often transactions that are too old are dropped from the pool, ms. Page 05 §24.1. */
const POOL_CLEANUP_MS = 300_000;

/** A node that runs. */
export interface Node {
  /** `http://<host>:<port>`; undefined when the HTTP interface is switched off. */
  readonly url: string | undefined;
  /** Finishes the block in hand, flushes, closes; may be called more than once. */
  stop(): Promise<void>;
  /** Resolves when the node has ended by itself or by `stop`; rejects when it had to give up. */
  readonly finished: Promise<void>;
}

/** What tests hand in. */
export interface NodeWorld {
  readonly clock: Clock;
  /** How the HTTP interface is opened: in a thread of its own, or (tests over the sources) in this one. */
  readonly startApi: (log: Log) => ApiStart;
}

const realWorld: NodeWorld = { clock: systemClock, startApi: startApiThread };

/**
 * Opens the chain's store of a data directory, and makes it when it is not there yet.
 * @throws StoreInUseError, WrongNetworkError, StoreFormatError, ForeignDirectoryError
 */
export function openNodeStore(settings: Settings): Promise<Store> {
  return openStore(chainDirectory(settings), {
    network: networkIdentity(settings.profile),
    rollbackDepth: settings.rollbackDepth,
  });
}

/**
 * Starts a node: it forges, and answers at `url`, from the moment the promise resolves.
 * @throws what opening store, wallet and port throws; nothing is left open then
 */
export async function startNode(settings: Settings, log: Log, world: NodeWorld = realWorld): Promise<Node> {
  const { clock } = world;
  const { profile } = settings;
  // What was opened, to be closed in reverse: at the end, or when the start fails halfway.
  const opened: (() => Promise<void> | void)[] = [];
  const closeAll = async () => {
    for (const close of opened.splice(0).reverse()) await close();
  };
  let finish: () => void = () => {};
  let giveUp: (error: unknown) => void = () => {};
  const finished = new Promise<void>((resolve, reject) => {
    finish = resolve;
    giveUp = reject;
  });
  // Whoever does not wait for the end must not be punished for it.
  finished.catch(() => {});
  let stopping: Promise<void> | undefined;
  const stop = () => {
    stopping ??= closeAll().then(finish, (error: unknown) => {
      giveUp(error);
      throw error;
    });
    return stopping;
  };

  /** Ends the node for a reason that whoever waits for `finished` is told. */
  const abort = (reason: Error) => {
    stopping ??= closeAll().finally(() => giveUp(reason));
    stopping.catch((error: unknown) => log.error("Stopping failed", { error }));
  };

  try {
    const starting = settings.api ? world.startApi(log) : undefined;
    if (starting !== undefined) opened.push(starting.abandon);
    const store = await openNodeStore(settings);
    opened.push(() => store.close());
    const wallet = await openWallet(walletOptions(settings));
    opened.push(() => wallet.close());

    const trust: TrustSettings = {
      network: settings.trustNetwork,
      root: settings.hashAccount ?? wallet.oldest()?.address,
    };
    const chain = Chain.open({
      store,
      profile,
      indexes: allIndexes({ trust }),
      clock,
      log,
      options: {
        maxTransactionsInMicroBlock: settings.maxTransactionsInMicroBlock,
        stopOnUnsupportedFeature: settings.stopOnUnsupportedFeature,
      },
      onUnsupportedFeature: ({ ids, height }) => abort(new UnsupportedFeatureError(ids, height)),
    });
    const pool = new Mempool(chain, clock, {
      maxTransactions: settings.poolMaxTransactions,
      maxBytes: settings.poolMaxBytes,
      maxAgeMs: settings.poolMaxAgeMs,
      blacklist: settings.poolBlacklist,
      allowTransfersTo: settings.poolAllowTransfersTo,
    });
    chain.attachPool(pool);

    const forger = new Forger({
      chain,
      pool,
      accounts: wallet,
      clock,
      log,
      options: {
        enabled: settings.forge,
        quorum: settings.forgeQuorum,
        microBlockIntervalMs: settings.microBlockIntervalMs,
        minMicroBlockAgeMs: settings.minMicroBlockAgeMs,
        intervalAfterLastBlockMs: settings.intervalAfterLastBlockMs,
        minimalBlockGenerationOffsetMs: settings.minimalBlockGenerationOffsetMs,
        maxTransactionsInMicroBlock: settings.maxTransactionsInMicroBlock,
        features: settings.features,
      },
      connections: () => 0,
      forged: { block: () => {}, microBlock: () => {} },
    });
    forger.feeVote = settings.feeVote.toUpperCase() as FeeVote;

    const control = nodeControl({
      chain,
      pool,
      wallet,
      forger,
      network: profile,
      hashAccount: settings.hashAccount,
      features: settings.features,
      stop: () => {
        stop().catch((error: unknown) => log.error("Stopping failed", { error }));
      },
    });

    let api: ApiServer | undefined;
    if (starting !== undefined) {
      api = await starting.serve({ settings, rules: chain.rules, trust, store, control, clock, log });
      opened.push(api.close);
    }
    sayHello(settings, chain, wallet, api, log);

    const voteFile = new FeeVoteFile(settings.feeVoteFile, settings.feeVoteIntervalMs, {
      clock,
      log,
      vote: (vote) => {
        forger.feeVote = vote;
      },
    });
    if (settings.forge) {
      await voteFile.start();
      opened.push(() => voteFile.stop());
    }
    const cleanPool = () => {
      pool.dropExpired();
      cancelCleaning = clock.after(POOL_CLEANUP_MS, cleanPool);
    };
    let cancelCleaning = clock.after(POOL_CLEANUP_MS, cleanPool);
    opened.push(() => cancelCleaning());
    forger.start();
    opened.push(() => forger.stop());
    return { url: api?.url, stop, finished };
  } catch (error) {
    await closeAll();
    throw error;
  }
}

/** Tells an operator what runs here: network, height, account and balance, address of the interface. */
function sayHello(
  settings: Settings,
  chain: Chain,
  wallet: Wallet,
  api: ApiServer | undefined,
  log: Log,
): void {
  const { profile } = settings;
  const account = wallet.oldest();
  const balance = account && chain.scratch((ledger) => ledger.account(account.address).balance);
  log.info(`Network ${profile.name} (${profile.networkName}), height ${chain.tip.height}`, {
    chainId: String.fromCharCode(profile.chainId),
    dataDir: settings.dataDir,
  });
  if (account === undefined) log.warn("The wallet holds no account");
  else log.info(`Wallet account ${addressText(account.address)}, balance ${balance} units`);
  if (api === undefined) {
    log.info("The HTTP interface is switched off");
    return;
  }
  if (hasOpenKeyRoutes(settings))
    log.warn("Routes that ask for an API key are OPEN to programs on this machine: no key is configured");
  else if (settings.apiKeyHash === undefined)
    log.info("Routes that ask for an API key are closed: no key is configured");
  if (settings.authToken === undefined)
    log.warn(
      "POST /hash is open to whoever reaches the interface, and the wallet pays: no token is configured",
    );
  // Last, so that whoever waits for this line has seen all that was to be said.
  log.info(`HTTP interface at ${api.url}, documentation at ${api.url}/api-docs/`);
}
