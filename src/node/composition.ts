/** Parts of the node that the writer's thread and the HTTP thread put together alike. */
import { join } from "node:path";
import { genesisBlock } from "../blocks/genesis.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import type { Settings } from "../config/settings.ts";
import type { IndexSettings } from "../indexes/all.ts";
import type { ReaderContext } from "../indexes/query-source.ts";
import type { TrustSettings } from "../indexes/trust/settings.ts";
import type { LedgerRules } from "../ledger/era.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import { isUnwritten } from "../storage/disk/directory.ts";
import { withDiskErrors } from "../storage/disk/disk-error.ts";
import { openStore, type Store } from "../storage/store.ts";

/** Identity of a network in its stores: two networks never share one. */
export function networkIdentity(profile: NetworkProfile): string {
  return `${profile.networkName} ${profile.chainId} ${encodeBase58(genesisBlock(profile).signature)}`;
}

/**
 * Opens a store for the chain of these settings, and makes it when it is not there yet.
 * @param directory another one than that of the node's chain
 * @throws StoreInUseError, WrongNetworkError, StoreFormatError, ForeignDirectoryError
 */
export function openNodeStore(
  settings: Pick<Settings, "dataDir" | "profile" | "chain">,
  directory: string = chainDirectory(settings),
): Promise<Store> {
  const { rollbackDepth } = settings.chain;
  return openStore(directory, { network: networkIdentity(settings.profile), rollbackDepth });
}

/**
 * Whether no store was written yet where the chain of these settings lies. Nothing is opened, and nothing made.
 * @throws WrongNetworkError, StoreFormatError, ForeignDirectoryError, DiskError
 */
export function hasNoStore(settings: Pick<Settings, "dataDir" | "profile">): Promise<boolean> {
  const directory = chainDirectory(settings);
  return withDiskErrors(directory, () => isUnwritten(directory, networkIdentity(settings.profile)));
}

/** Where the chain of a data directory is stored. */
export function chainDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "chain");
}

/** Where is stored what waits to be anchored, and the trees. */
export function anchorDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "anchors");
}

/** What the operator decided about the indexes. */
export function indexSettings(index: Settings["index"], trust: TrustSettings): IndexSettings {
  return { ...index, trust, generators: index.generators ? index.generatorWindow : 0 };
}

/** What readers need beside the store. */
export function readerContext(
  settings: Pick<Settings, "profile" | "index">,
  rules: LedgerRules,
  trust: TrustSettings,
): ReaderContext {
  return { profile: settings.profile, rules, indexAll: settings.index.indexAll, trust };
}
