/** The lists of the indexes and of their queries. */
import type { IndexName } from "../interfaces.ts";
import type { CounterName, TableName } from "../storage/tables.ts";
import { AnchorQuery } from "./anchors/query.ts";
import { anchorIndex } from "./anchors/write.ts";
import { AssociatedAddressQuery } from "./associations/query.ts";
import { associatedAddressIndex } from "./associations/write.ts";
import type { ChainIndex, ConfiguredIndex } from "./chain-index.ts";
import { compositeIndex } from "./composite-index.ts";
import { CredentialStatusQuery } from "./credentials/query.ts";
import { credentialIndex } from "./credentials/write.ts";
import { GeneratorQuery } from "./generators/query.ts";
import { generatorIndex } from "./generators/write.ts";
import { IdentityQuery } from "./identities/query.ts";
import { identityIndex, keyIndex } from "./identities/write.ts";
import type { IndexMode } from "./modes.ts";
import { StatisticsQuery } from "./statistics/query.ts";
import { statisticsIndex } from "./statistics/write.ts";
import { TransactionGroupQuery } from "./transactions/query.ts";
import { addressTransactionIndex, groupTotalIndex } from "./transactions/write.ts";
import { TrustQuery } from "./trust/query.ts";
import { roleHolders } from "./trust/roles.ts";
import type { TrustSettings } from "./trust/settings.ts";
import { trustIndex } from "./trust/write.ts";

/** The tables of each index, which it alone writes, and their look-ups with them; its counters. */
export const indexTables: Readonly<Record<IndexName, readonly (TableName | CounterName)[]>> = {
  transactions: ["listedTransactions"],
  anchors: ["anchors", "mappedAnchors"],
  associations: ["associationChildren", "associationParents"],
  identities: ["didMethods", "didServices", "deactivations"],
  trust: ["roles"],
  keys: ["firstSeenKeys"],
  credentials: ["credentialStatements"],
  statistics: ["daySums", "dayForged"],
  generators: ["forged"],
};

/** All of them, in the order in which they are shown. */
export const indexNames = Object.keys(indexTables) as readonly IndexName[];

/** What snapshots answer from the indexes, by topic. */
export const indexQueries = {
  transactionGroups: TransactionGroupQuery,
  anchors: AnchorQuery,
  associatedAddresses: AssociatedAddressQuery,
  identities: IdentityQuery,
  credentials: CredentialStatusQuery,
  trust: TrustQuery,
  statistics: StatisticsQuery,
  generators: GeneratorQuery,
} as const;

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
