/** The chain of a data directory, for commands that work on it while no node does. */

import { join } from "node:path";
import { Chain } from "../chain/chain.ts";
import type { Settings } from "../config/settings.ts";
import { walletOptions } from "../config/wallet-options.ts";
import { allIndexes } from "../indexes/all.ts";
import type { TrustSettings } from "../indexes/trust.ts";
import type { Log } from "../interfaces.ts";
import { chainDirectory, networkIdentity } from "../node/composition.ts";
import { systemClock } from "../node/system.ts";
import { openStore, type Store } from "../storage/store.ts";
import { openWallet } from "../wallet/open.ts";
import type { Io } from "./io.ts";

/** A store with the chain in it. */
export interface OfflineChain {
  readonly store: Store;
  readonly chain: Chain;
}

/**
 * Opens the store of the settings' data directory and the chain in it; both are made when they are not there.
 * @param directory another one than that of the node's chain
 * @throws StoreInUseError while a node runs on it, WrongNetworkError, StoreFormatError, ForeignDirectoryError
 */
export async function openChain(
  settings: Settings,
  io: Io,
  directory: string = chainDirectory(settings),
): Promise<OfflineChain> {
  const { profile } = settings;
  const store = await openStore(directory, {
    network: networkIdentity(profile),
    rollbackDepth: settings.rollbackDepth,
  });
  try {
    const chain = Chain.open({
      store,
      profile,
      indexes: allIndexes({ trust: await trustSettings(settings) }),
      clock: systemClock,
      log: warnings(io),
      options: {
        maxTransactionsInMicroBlock: settings.maxTransactionsInMicroBlock,
        stopOnUnsupportedFeature: settings.stopOnUnsupportedFeature,
      },
    });
    return { store, chain };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** A folder beside the chain for work that may be interrupted: what is left there is of no use. */
export function workFolder(settings: Settings, name: string): string {
  return join(settings.dataDir, `${name}.tmp`);
}

/** The trust network as the node has it: the wallet is only asked where roles can be given at all. */
async function trustSettings(settings: Settings): Promise<TrustSettings> {
  const { trustNetwork: network, hashAccount } = settings;
  if (network.size < 2 || hashAccount !== undefined) return { network, root: hashAccount };
  const wallet = await openWallet(walletOptions(settings));
  try {
    return { network, root: wallet.oldest()?.address };
  } finally {
    await wallet.close();
  }
}

function warnings(io: Io): Log {
  const say = (message: string): void => io.err(`${message}\n`);
  return { debug: () => {}, info: () => {}, warn: say, error: say };
}
