/** What the node indexes for the API. Page 07 §4.2. */
import { GENERATOR_WINDOW } from "../../indexes/all.ts";
import { defaultTrustNetwork } from "../../indexes/trust/trust-network.ts";
import { mainnetLockedSupply, noLockedSupply } from "../../profiles/locked-supply.ts";
import { lockedSupplyKind, trustNetworkKind } from "../kinds/json-kinds.ts";
import { booleanKind, oneOf, whole } from "../kinds/kinds.ts";
import { withDefault } from "./define-setting.ts";

const indexedTransactions = oneOf(["none", "trust", "all"]);

export const indexSettings = {
  trustNetwork: withDefault("trust-network", trustNetworkKind, () => defaultTrustNetwork, {
    indexer: "TRUST_NETWORK",
    about:
      "Roles of the trust network: a JSON object, the path of a JSON file, or an object in the settings file",
    defaultText: "only the role `root`",
  }),
  anchors: withDefault("index-anchors", indexedTransactions, "all", {
    indexer: "ANCHOR_INDEXING",
    about: "Anchors to index for `/hash`: none, those of accounts with a role (`trust`), or all",
  }),
  associations: withDefault("index-associations", indexedTransactions, "all", {
    indexer: "ASSOCIATION_INDEXING",
    about:
      "Associations to index for `/associations/{address}`: none, those of accounts with a role (`trust`), or all",
  }),
  identities: withDefault("index-identities", booleanKind, true, {
    indexer: "DID_INDEXING",
    about:
      "Index changes of DID documents: verification methods, services, deactivation. Without them a document " +
      "has only the key of the account",
    negated: "Do not index changes of DID documents: a document has only the key of the account",
  }),
  transactions: withDefault("index-transactions", booleanKind, true, {
    indexer: "TRANSACTION_INDEXING",
    about:
      "Index transactions by group for `/transactions/addresses`. `/transactions/address` and `/leasing/active` do not need it",
    negated: "Do not index transactions by group for `/transactions/addresses`",
  }),
  credentials: withDefault("index-credentials", indexedTransactions, "all", {
    indexer: "CREDENTIAL_STATUS_INDEXING",
    about:
      "Credential statements (issue, revoke, suspend, reinstate) to index for `/credential-status`: " +
      "none, those of accounts with a role (`trust`), or all",
  }),
  disputes: withDefault("index-disputes", indexedTransactions, "all", {
    indexer: "CREDENTIAL_DISPUTES_INDEXING",
    about:
      "Statements that dispute a credential, or acknowledge a dispute, to index for `/credential-status`: none, " +
      "those of accounts with a role (`trust`), or all",
  }),
  statistics: withDefault("index-statistics", booleanKind, true, {
    indexer: "STATS_INDEXING",
    about: "Index daily sums for `/stats`: transactions, operations, leases, supply, forgers",
    negated: "Do not index daily sums for `/stats`",
  }),
  generators: withDefault("index-generators", booleanKind, true, {
    indexer: "GENERATOR_INDEXING",
    about: "Count the forgers of the newest blocks for `/generators`",
    negated: "Do not count the forgers of the newest blocks",
  }),
  generatorWindow: withDefault(
    "generator-window",
    whole(1, 10_000_000, "a number of blocks"),
    GENERATOR_WINDOW,
    {
      indexer: "GENERATOR_DELTA",
      about: "Number of newest blocks that `/generators` counts",
    },
  ),
  richest: withDefault("index-richest", booleanKind, true, {
    about: "List the accounts with the highest balances for `/addresses/richest`",
    negated: "Do not list the accounts with the highest balances",
  }),
  largest: withDefault("index-largest-transfers", booleanKind, true, {
    about: "List the largest transfers for `/transactions/largest`",
    negated: "Do not list the largest transfers",
  }),
  lockedSupply: withDefault(
    "locked-supply",
    lockedSupplyKind,
    (network) => (network.name === "mainnet" ? mainnetLockedSupply : noLockedSupply),
    {
      about:
        "Tokens that do not circulate, for `/stats/supply/circulating`: a JSON object of years, each an object of the " +
        "months `jan` to `dec` with whole tokens; the path of a JSON file; or an object in the YAML file",
      defaultText: "depends on the network: a known table on mainnet, else none",
    },
  ),
  indexAll: withDefault("index-all-transactions", booleanKind, (network) => network.indexAll, {
    reference: "index-all-transactions",
    about: "List transactions of all types at `/transactions/address`, not only of some",
    defaultText: "depends on the network: yes on dev and custom, else no",
  }),
  didResponse: withDefault("did-default-response", oneOf(["document", "resolution"]), "document", {
    indexer: "DID_DEFAULT_RESPONSE",
    about: "Default response of `/identifiers` and `/identities`, if the request does not choose",
  }),
} as const;
