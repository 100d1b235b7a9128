/** What is indexed, and how the index answers: page 07 §4.2. */
import { GENERATOR_WINDOW } from "../../indexes/all.ts";
import { defaultTrustNetwork } from "../../indexes/trust/trust-network.ts";
import { mainnetLockedSupply, noLockedSupply } from "../../profiles/locked-supply.ts";
import { lockedSupplyKind, trustNetworkKind } from "../kinds/json-kinds.ts";
import { oneOf, whole, yesNo } from "../kinds/kinds.ts";
import { withDefault } from "./define-setting.ts";

/** Which transactions an index includes. Page 07 §4.2. */
const whose = oneOf(["none", "trust", "all"]);

export const indexSettings = {
  trustNetwork: withDefault("trust-network", trustNetworkKind, () => defaultTrustNetwork, {
    indexer: "TRUST_NETWORK",
    about:
      "Roles of the trust network: a JSON object, the path of a JSON file, or an object in the settings file",
    defaultText: "only the role `root`",
  }),
  anchors: withDefault("index-anchors", whose, "all", {
    indexer: "ANCHOR_INDEXING",
    about: "Whose anchors are found at `/hash`: nobody's, those of accounts with a role, or all",
  }),
  associations: withDefault("index-associations", whose, "all", {
    indexer: "ASSOCIATION_INDEXING",
    about:
      "Whose associations are listed at `/associations/{address}`: nobody's, those of accounts with a role, or all",
  }),
  identities: withDefault("index-identities", yesNo, true, {
    indexer: "DID_INDEXING",
    about:
      "Keep what accounts say of their DIDs: verification methods, services, deactivation. Without it a document " +
      "has the key of the account and no more",
    negated: "Do not keep what accounts say of their DIDs: a document has the key of the account and no more",
  }),
  transactions: withDefault("index-transactions", yesNo, true, {
    indexer: "TRANSACTION_INDEXING",
    about:
      "Answer `/transactions/addresses`. `/transactions/address` and `/leasing/active` are the node's own, and always there",
    negated: "Do not count the transactions of accounts by group, for `/transactions/addresses`",
  }),
  credentials: withDefault("index-credentials", whose, "all", {
    indexer: "CREDENTIAL_STATUS_INDEXING",
    about:
      "Whose statements are shown at `/credential-status` that issue, revoke, suspend or reinstate a credential: " +
      "nobody's, those of accounts with a role, or all",
  }),
  disputes: withDefault("index-disputes", whose, "all", {
    indexer: "CREDENTIAL_DISPUTES_INDEXING",
    about: "The same for statements that dispute a credential, or acknowledge that",
  }),
  statistics: withDefault("index-statistics", yesNo, true, {
    indexer: "STATS_INDEXING",
    about: "Keep sums by day for `/stats`: transactions, operations, leases, supply, who forged",
    negated: "Keep no sums by day for `/stats`",
  }),
  generators: withDefault("index-generators", yesNo, true, {
    indexer: "GENERATOR_INDEXING",
    about: "List at `/generators` who forged the newest blocks",
    negated: "Do not count who forged the newest blocks",
  }),
  generatorWindow: withDefault(
    "generator-window",
    whole(1, 10_000_000, "a number of blocks"),
    GENERATOR_WINDOW,
    {
      indexer: "GENERATOR_DELTA",
      about: "Over how many of the newest blocks `/generators` counts",
    },
  ),
  lockedSupply: withDefault(
    "locked-supply",
    lockedSupplyKind,
    (network) => (network.name === "mainnet" ? mainnetLockedSupply : noLockedSupply),
    {
      about:
        "Tokens that do not circulate, for `/stats/supply/circulating`: a JSON object of years, each an object of the " +
        "months `jan` to `dec` with whole tokens; the path of a JSON file; or an object in the YAML file",
      defaultText: "that of the network: the known table on mainnet, nothing elsewhere",
    },
  ),
  indexAll: withDefault("index-all-transactions", yesNo, (network) => network.indexAll, {
    reference: "index-all-transactions",
    about: "List the transactions of every type at `/transactions/address`, not only some",
    defaultText: "that of the network: yes on dev and custom, else no",
  }),
  didResponse: withDefault("did-default-response", oneOf(["document", "resolution"]), "document", {
    indexer: "DID_DEFAULT_RESPONSE",
    about: "What `/identifiers` and `/identities` answer when the request does not say",
  }),
} as const;
