/** The list of the indexes: an index is part of the node by standing here, and nowhere else. */

import { anchorIndex, type IndexMode } from "./anchors/write.ts";
import { associatedAddressIndex } from "./associations/write.ts";
import type { ChainIndex, ConfiguredIndex } from "./chain-index.ts";
import { compositeIndex } from "./composite-index.ts";
import { credentialIndex } from "./credentials/write.ts";
import { generatorIndex } from "./generators/write.ts";
import { identityIndex, keyIndex } from "./identities/write.ts";
import { statisticsIndex } from "./statistics/write.ts";
import { addressTransactionIndex, groupTotalIndex } from "./transactions/write.ts";
import { roleHolders, type TrustSettings, trustIndex } from "./trust/write.ts";

/** What the operator decides about the indexes. Each is there, with all that it can hold, unless said otherwise. */
export interface IndexSettings {
  readonly trust: TrustSettings;
  /** Whose anchors are kept. */
  readonly anchors?: IndexMode | undefined;
  /** Whose associations are kept. */
  readonly associations?: IndexMode | undefined;
  /** Whether DIDs have more than the key of their account. */
  readonly identities?: boolean | undefined;
  /** Whether the transactions of an address are counted by group. */
  readonly transactions?: boolean | undefined;
  /** Whose statements are kept that issue, revoke, suspend or reinstate a credential. */
  readonly credentials?: IndexMode | undefined;
  /** Whose statements are kept that dispute a credential, or acknowledge that. */
  readonly disputes?: IndexMode | undefined;
  /** Whether there are sums by day. */
  readonly statistics?: boolean | undefined;
  /** Over how many of the newest blocks it is counted who forged them; 0: not at all. */
  readonly generators?: number | undefined;
}

/** The window of page 07 §4.2. */
export const GENERATOR_WINDOW = 10_000;

/** Every index that is switched on, in the order in which they see a unit. */
export function allIndexes({
  trust,
  anchors = "all",
  associations = "all",
  identities = true,
  transactions = true,
  credentials = "all",
  disputes = "all",
  statistics = true,
  generators = GENERATOR_WINDOW,
}: IndexSettings): readonly ChainIndex[] {
  const configured: ConfiguredIndex[] = [trustIndex(trust)];
  if (anchors !== "none") configured.push(anchorIndex(anchors, roleHolders(trust)));
  if (associations !== "none") configured.push(associatedAddressIndex(associations));
  if (credentials !== "none" || disputes !== "none")
    configured.push(credentialIndex({ status: credentials, disputes }));
  const readRoles = [anchors, associations, credentials, disputes].includes("trust");
  return [
    addressTransactionIndex(),
    ...(transactions ? [groupTotalIndex()] : []),
    keyIndex(),
    ...(identities ? [identityIndex()] : []),
    ...(statistics ? [statisticsIndex()] : []),
    ...(generators > 0 ? [generatorIndex(generators)] : []),
    // Those that ask for roles have to see them as they are at each transaction.
    ...(readRoles ? [compositeIndex(configured)] : configured),
  ];
}
