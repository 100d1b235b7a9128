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
import { LargestTransferQuery } from "./largest/query.ts";
import { largestTransferIndex } from "./largest/write.ts";
import type { IndexMode } from "./modes.ts";
import { RichestQuery } from "./richest/query.ts";
import { richestIndex } from "./richest/write.ts";
import { StatisticsQuery } from "./statistics/query.ts";
import { statisticsIndex } from "./statistics/write.ts";
import { TransactionGroupQuery } from "./transactions/query.ts";
import { addressTransactionIndex, groupTotalIndex } from "./transactions/write.ts";
import { TrustQuery } from "./trust/query.ts";
import { roleHolders } from "./trust/roles.ts";
import type { TrustSettings } from "./trust/settings.ts";
import { trustIndex } from "./trust/write.ts";

export const indexTables: Readonly<Record<IndexName, readonly (TableName | CounterName)[]>> = {
  transactions: ["listedTransactions"],
  anchors: ["anchors", "mappedAnchors"],
  associations: ["associationChildren", "associationParents"],
  identities: ["didMethods", "didServices", "deactivations"],
  trust: ["roles"],
  keys: ["firstSeenKeys"],
  credentials: ["credentialStatements"],
  statistics: ["daySums", "daySenders", "dayForged"],
  generators: ["forged"],
  richest: ["richest", "richestState", "richestPending"],
  largest: ["largestTransfers", "transferLists"],
};

export const indexNames = Object.keys(indexTables) as readonly IndexName[];

export const indexQueries = {
  transactionGroups: TransactionGroupQuery,
  anchors: AnchorQuery,
  associatedAddresses: AssociatedAddressQuery,
  identities: IdentityQuery,
  credentials: CredentialStatusQuery,
  trust: TrustQuery,
  statistics: StatisticsQuery,
  generators: GeneratorQuery,
  richest: RichestQuery,
  largestTransfers: LargestTransferQuery,
} as const;

/** By default, every index is on and covers all accounts. */
export interface IndexSettings {
  readonly trust: TrustSettings;
  readonly anchors?: IndexMode | undefined;
  readonly associations?: IndexMode | undefined;
  /** If false, DID documents have only the account's own key. */
  readonly identities?: boolean | undefined;
  /** Counts of an address's transactions by group. */
  readonly transactions?: boolean | undefined;
  /** Statements that issue, revoke, suspend and reinstate credentials. */
  readonly credentials?: IndexMode | undefined;
  /** Statements that dispute and acknowledge credentials. */
  readonly disputes?: IndexMode | undefined;
  readonly statistics?: boolean | undefined;
  /** Number of newest blocks in which forged blocks are counted; 0 switches the index off. */
  readonly generators?: number | undefined;
  readonly richest?: boolean | undefined;
  readonly largest?: boolean | undefined;
}

export const GENERATOR_WINDOW = 10_000;

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
  richest = true,
  largest = true,
}: IndexSettings): readonly ChainIndex[] {
  const configured: ConfiguredIndex[] = [trustIndex(trust)];
  if (anchors !== "none") configured.push(anchorIndex(anchors, roleHolders(trust)));
  if (associations !== "none") configured.push(associatedAddressIndex(associations));
  if (credentials !== "none" || disputes !== "none")
    configured.push(credentialIndex({ status: credentials, disputes }));
  const hasRoleReader = [anchors, associations, credentials, disputes].includes("trust");
  return [
    addressTransactionIndex(),
    ...(transactions ? [groupTotalIndex()] : []),
    keyIndex(),
    ...(identities ? [identityIndex()] : []),
    ...(statistics ? [statisticsIndex()] : []),
    ...(generators > 0 ? [generatorIndex(generators)] : []),
    ...(richest ? [richestIndex()] : []),
    ...(largest ? [largestTransferIndex()] : []),
    // Indexes that read roles must see the roles after each transaction.
    ...(hasRoleReader ? [compositeIndex(configured)] : configured),
  ];
}
