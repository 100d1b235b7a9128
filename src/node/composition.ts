/** Parts of the node that the writer's thread and the HTTP thread put together alike. */
import { join } from "node:path";
import { genesisBlock } from "../blocks/genesis.ts";
import { encodeBase58 } from "../bytes/base58.ts";
import type { ReaderContext } from "../chain/reading/stored-chain.ts";
import type { Settings } from "../config/settings.ts";
import { addressTransactionIndex } from "../indexes/address-transactions.ts";
import { anchorIndex } from "../indexes/anchors.ts";
import { associatedAddressIndex } from "../indexes/associated-addresses.ts";
import type { ChainIndex } from "../indexes/chain-index.ts";
import { identityIndex } from "../indexes/identities.ts";
import { type TrustSettings, trustIndex } from "../indexes/trust.ts";
import type { LedgerRules } from "../ledger/era.ts";
import type { NetworkProfile } from "../profiles/profile.ts";

/** Identity of a network in its stores: two networks never share one. */
export function networkIdentity(profile: NetworkProfile): string {
  return `${profile.networkName} ${profile.chainId} ${encodeBase58(genesisBlock(profile).signature)}`;
}

/** Where the chain of a data directory is stored. */
export function chainDirectory(settings: Pick<Settings, "dataDir">): string {
  return join(settings.dataDir, "chain");
}

/** Every index of the node, in the order in which they see a transaction. */
export function chainIndexes(trust: TrustSettings): readonly ChainIndex[] {
  return [
    addressTransactionIndex(),
    anchorIndex(),
    identityIndex(),
    trustIndex(trust),
    associatedAddressIndex(),
  ];
}

/** What readers need beside the store. */
export function readerContext(
  settings: Pick<Settings, "profile" | "indexAllTransactions">,
  rules: LedgerRules,
  trust: TrustSettings,
): ReaderContext {
  return { profile: settings.profile, rules, indexAll: settings.indexAllTransactions, trust };
}
