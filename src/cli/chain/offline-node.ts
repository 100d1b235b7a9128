/** The node of a data directory, for commands that work on its chain while nothing runs. */
import { join } from "node:path";

import type { Settings } from "../../config/settings.ts";
import type { Log } from "../../interfaces.ts";
import { chainDirectory, hasNoStore, openNodeStore } from "../../node/composition.ts";
import { measureResources } from "../../node/resources.ts";
import type { World } from "../../node/world.ts";
import { createNode, type Node } from "../../node.ts";
import { DiskPeersFile } from "../../peers/database/peers-file.ts";
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

/** How a command works on the chain. */
export interface OfflineOptions {
  /** Threads that check signatures. */
  readonly threads: number;
  /** Another directory than that of the node's chain. */
  readonly directory?: string | undefined;
  /** On a new chain that is gone with the node: nothing is opened, and nothing made. */
  readonly inMemory?: boolean | undefined;
}

/**
 * Builds the node of a data directory, and does not start it: no HTTP, no forging, nobody hears of the chain's changes.
 * Store and chain are made when they are not there. `stop` closes them.
 * @throws StoreInUseError while a node runs on it, WrongNetworkError, StoreFormatError, ForeignDirectoryError
 */
export async function offlineNode(settings: Settings, io: Io, options: OfflineOptions): Promise<Node> {
  const world = await offlineWorld(settings, io, options);
  try {
    return createNode(world, settings);
  } catch (error) {
    await world.close();
    throw error;
  }
}

/** Runs work with the node of a data directory and a verifier, and closes both. @throws as `offlineNode` */
export async function withOfflineNode<T>(
  settings: Settings,
  io: Io,
  options: OfflineOptions,
  work: (node: Node, verifier: Verifier) => Promise<T>,
): Promise<T> {
  const node = await offlineNode(settings, io, options);
  const verifier = node.world.verifier(settings.profile);
  try {
    return await work(node, verifier);
  } finally {
    await verifier.close();
    await node.stop();
  }
}

async function offlineWorld(
  settings: Settings,
  io: Io,
  { threads, directory, inMemory = false }: OfflineOptions,
): Promise<World> {
  const store = inMemory ? memoryStore(settings.chain) : await openNodeStore(settings, directory);
  let wallet: Wallet;
  try {
    wallet = inMemory ? noWallet(settings) : await walletOf(settings);
  } catch (error) {
    await store.close();
    throw error;
  }
  const log = warnings(io);
  return {
    clock: systemClock,
    supervisor: new Supervisor(log, systemClock),
    random: systemRandom,
    transport: noTransport,
    hosts: systemHosts,
    log,
    store,
    anchors: undefined,
    wallet,
    files: systemFiles,
    peersFile: (path) => new DiskPeersFile(path),
    verifier: (network) => threadVerifier(network, threads),
    resources: () => measureResources(directory ?? chainDirectory(settings)),
    http: undefined,
    close: async () => {
      await wallet.close();
      await store.close();
    },
  };
}

/** A data directory in which there is nothing to work on. */
export function noChainError({ dataDir }: Settings): CommandError {
  return new CommandError(ExitCode.dataDirectory, `The data directory ${dataDir} holds no chain`);
}

/**
 * For commands that only make sense on a chain that is there: asked before anything is opened, and made.
 * @throws CommandError, and what opening the store throws
 */
export async function requireChain(settings: Settings): Promise<void> {
  if (await hasNoStore(settings)) throw noChainError(settings);
}

/** A folder beside the chain for work that may be interrupted: what is left there is of no use. */
export function workFolder(settings: Settings, name: string): string {
  return join(settings.dataDir, `${name}.tmp`);
}

/**
 * The wallet is only asked for the root of trust, and that only where roles can be given at all, or where an index asks
 * whether somebody has one, as the root has without being given it.
 */
async function walletOf(settings: Settings): Promise<Wallet> {
  const { index, anchoring } = settings;
  const isRootAsked = index.trustNetwork.size > 1 || index.anchors === "trust";
  return isRootAsked && anchoring.hashAccount === undefined ? openWallet(settings) : noWallet(settings);
}

const noWallet = ({ profile }: Settings): Wallet => fixedWallet([], profile.chainId);

function warnings(io: Io): Log {
  const say = (message: string): void => io.err(`${message}\n`);
  return { debug: () => {}, info: () => {}, warn: say, error: say };
}
