import { join } from "node:path";
import type { Settings } from "../../config/settings.ts";
import type { TrustSettings } from "../../indexes/trust/settings.ts";
import { chainDirectory, hasNoStore, openNodeStore } from "../../node/composition.ts";
import type { Environment } from "../../node/environment.ts";
import { measureResources } from "../../node/metrics/resources.ts";
import { createNodeOrClose, type Node } from "../../node.ts";
import { DiskPeersFile } from "../../peers/database/peers-file.ts";
import { LogLevels } from "../../runtime/logging/log-levels.ts";
import { noMetrics } from "../../runtime/metrics.ts";
import { noTransport } from "../../runtime/no-transport.ts";
import { Supervisor } from "../../runtime/supervisor.ts";
import { systemClock, systemFiles, systemRandom } from "../../runtime/system.ts";
import { systemHosts } from "../../runtime/system-hosts.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { threadVerifier, type Verifier } from "../../verification/verifier.ts";
import { fixedWallet } from "../../wallet/fixed-wallet.ts";
import { openWallet } from "../../wallet/open.ts";
import type { Wallet } from "../../wallet/wallet.ts";
import { CommandError, ExitCode } from "../exit-codes.ts";
import type { Io } from "../io.ts";
import { warningLog } from "./warnings.ts";

export interface OfflineOptions {
  readonly threads: number;
  /** Directory of the store. Default: the chain's directory. */
  readonly directory?: string | undefined;
  /** Uses neither a directory nor the wallet. */
  readonly inMemory?: boolean | undefined;
  /** Takes effect before the store is opened, and between two commits of the store's upgrade. */
  readonly signal?: AbortSignal | undefined;
}

/**
 * Builds a node without HTTP, forging or connections. Creates a missing store and chain; the node's `stop` closes them.
 * @throws StoreInUseError, WrongNetworkError, StoreFormatError, ForeignDirectoryError
 * @throws the reason of `signal`
 */
export async function offlineNode(settings: Settings, io: Io, options: OfflineOptions): Promise<Node> {
  return createNodeOrClose(await offlineEnvironment(settings, io, options), settings);
}

/**
 * Runs `work`, then closes the verifier and the node.
 * @throws like `offlineNode`
 */
export async function withOfflineNode<T>(
  settings: Settings,
  io: Io,
  options: OfflineOptions,
  work: (node: Node, verifier: Verifier) => Promise<T>,
): Promise<T> {
  const node = await offlineNode(settings, io, options);
  const verifier = node.environment.verifier(settings.profile);
  try {
    return await work(node, verifier);
  } finally {
    await verifier.close();
    await node.stop();
  }
}

async function offlineEnvironment(
  settings: Settings,
  io: Io,
  { threads, directory, inMemory = false, signal }: OfflineOptions,
): Promise<Environment> {
  const log = warningLog(io);
  signal?.throwIfAborted();
  const store = inMemory
    ? memoryStore(settings.chain)
    : await openNodeStore(settings, { directory, log, signal });
  let wallet: Wallet;
  try {
    wallet = inMemory ? noWallet(settings) : await walletForTrust(settings);
  } catch (error) {
    await store.close();
    throw error;
  }
  return {
    clock: systemClock,
    clockErrorMs: () => undefined,
    supervisor: new Supervisor(log, systemClock),
    random: systemRandom,
    transport: noTransport,
    hosts: systemHosts,
    log,
    logLevels: LogLevels.of({ level: "info", areas: {} }),
    metrics: noMetrics,
    serveMetrics: undefined,
    store,
    anchors: undefined,
    wallet,
    files: systemFiles,
    peersFile: (path) => new DiskPeersFile(path),
    verifier: (network) => threadVerifier(network, threads),
    resources: () => measureResources(directory ?? chainDirectory(settings)),
    backups: undefined,
    signatureChecker: undefined,
    http: undefined,
    close: async () => {
      await wallet.close();
      await store.close();
    },
  };
}

export function noChainError({ dataDir }: Settings): CommandError {
  return new CommandError(ExitCode.dataDirectory, `The data directory ${dataDir} has no chain`);
}

/** @throws CommandError if there is no chain */
export async function requireChain(settings: Settings): Promise<void> {
  if (await hasNoStore(settings)) throw noChainError(settings);
}

export function temporaryFolder(settings: Settings, name: string): string {
  return join(settings.dataDir, `${name}.tmp`);
}

/** Returns settings of the trust network. Opens or creates the wallet only if its account is the root of trust. */
export async function offlineTrust(settings: Settings): Promise<TrustSettings> {
  const wallet = await walletForTrust(settings);
  try {
    const root = settings.anchoring.hashAccount ?? wallet.oldest()?.address;
    return { network: settings.index.trustNetwork, root };
  } finally {
    await wallet.close();
  }
}

async function walletForTrust(settings: Settings): Promise<Wallet> {
  const { index, anchoring } = settings;
  const needsRoot = index.trustNetwork.size > 1 || index.anchors === "trust";
  return needsRoot && anchoring.hashAccount === undefined ? openWallet(settings) : noWallet(settings);
}

const noWallet = ({ profile }: Settings): Wallet => fixedWallet([], profile.chainId);
