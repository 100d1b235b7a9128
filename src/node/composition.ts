/** Values that the writer and the HTTP threads must build identically. */
import { join } from "node:path";
import { genesisBlock } from "../blocks/genesis.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import type { Settings } from "../config/settings.ts";
import { loadKeccak } from "../crypto/hashes.ts";
import type { IndexSettings } from "../indexes/all.ts";
import type { ReaderContext } from "../indexes/query-source.ts";
import type { TrustSettings } from "../indexes/trust/settings.ts";
import type { Log } from "../interfaces.ts";
import type { LedgerRules } from "../ledger/era.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import { isUnwritten } from "../storage/disk/directory.ts";
import { withDiskErrors } from "../storage/disk/disk-error.ts";
import { networkIdentity as identityOf } from "../storage/network-identity.ts";
import { openStore, type Store } from "../storage/store.ts";
import { upgradeLog } from "./upgrade-log.ts";

export function networkIdentity(profile: NetworkProfile): string {
  return identityOf(profile.networkName, profile.chainId, encodeBase58(genesisBlock(profile).signature));
}

interface NodeStoreOptions {
  readonly directory?: string | undefined;
  readonly log?: Log | undefined;
  readonly signal?: AbortSignal | undefined;
}

/**
 * Also makes this thread ready to run account scripts at full speed.
 * @throws StoreInUseError, WrongNetworkError, StoreFormatError, ForeignDirectoryError
 */
export async function openNodeStore(
  settings: Pick<Settings, "dataDir" | "profile" | "chain">,
  { directory = chainDirectory(settings), log, signal }: NodeStoreOptions = {},
): Promise<Store> {
  const { rollbackDepth } = settings.chain;
  const onUpgrade = log && upgradeLog(log, directory);
  await loadKeccak();
  return openStore(directory, {
    network: networkIdentity(settings.profile),
    rollbackDepth,
    onUpgrade,
    signal,
  });
}

/**
 * Returns true if a directory has no store. Does not open or create one.
 * @throws WrongNetworkError, StoreFormatError, ForeignDirectoryError, DiskError
 */
export function hasNoStore(
  settings: Pick<Settings, "dataDir" | "profile">,
  directory: string = chainDirectory(settings),
): Promise<boolean> {
  return withDiskErrors(directory, () => isUnwritten(directory, networkIdentity(settings.profile)));
}

export function chainDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "chain");
}

export function anchorDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "anchors");
}

/** Returns a node's existing stores. @throws like `hasNoStore` */
export async function existingStores(
  settings: Pick<Settings, "dataDir" | "profile">,
): Promise<(readonly [name: string, directory: string])[]> {
  const stores = [
    ["chain", chainDirectory(settings)],
    ["anchors", anchorDirectory(settings)],
  ] as const;
  const existing = [];
  for (const store of stores) if (!(await hasNoStore(settings, store[1]))) existing.push(store);
  return existing;
}

export function indexSettings(index: Settings["index"], trust: TrustSettings): IndexSettings {
  return { ...index, trust, generators: index.generators ? index.generatorWindow : 0 };
}

export function readerContext(
  settings: Pick<Settings, "profile" | "index">,
  rules: LedgerRules,
  trust: TrustSettings,
): ReaderContext {
  return { profile: settings.profile, rules, indexAll: settings.index.indexAll, trust };
}
