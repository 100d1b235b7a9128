/** What is indexed of the chain, and how the index answers: page 07 §4.2. */
import { GENERATOR_WINDOW } from "../../indexes/all.ts";
import { oneOf, text, whole, yesNo } from "../kinds/kinds.ts";
import { lockedSupplyKind, mainnetLockedSupply, noLockedSupply } from "../kinds/locked-supply-kind.ts";
import { defaultTrustNetwork, trustNetworkKind } from "../kinds/trust-network-kind.ts";
import { always, maybe } from "./define-setting.ts";

/** Whose transactions an index takes. Page 07 §4.2. */
const whose = oneOf(["none", "trust", "all"]);

export const indexSettings = {
  hashAccount: maybe(
    {
      name: "hash-account",
      group: "index",
      about: "Address of the wallet account that signs and pays for `POST /hash`, and is the root of trust",
      standardText: "the oldest account of the wallet",
    },
    text("ADDRESS", 64),
  ),
  trustNetwork: always(
    {
      name: "trust-network",
      group: "index",
      container: "TRUST_NETWORK",
      plain: "TRUST_NETWORK",
      about:
        "Roles of the trust network: a JSON object, the path of a JSON file, or an object in the settings file",
      standardText: "only the role `root`",
    },
    trustNetworkKind,
    () => defaultTrustNetwork,
  ),
  indexAnchors: always(
    {
      name: "index-anchors",
      group: "index",
      container: "ANCHOR_INDEXING",
      plain: "ANCHOR_INDEXING",
      about: "Whose anchors are found at `/hash`: nobody's, those of accounts with a role, or all",
    },
    whose,
    "all",
  ),
  indexAssociations: always(
    {
      name: "index-associations",
      group: "index",
      container: "ASSOCIATION_INDEXING",
      plain: "ASSOCIATION_INDEXING",
      about:
        "Whose associations are listed at `/associations/{address}`: nobody's, those of accounts with a role, or all",
    },
    whose,
    "all",
  ),
  indexIdentities: always(
    {
      name: "index-identities",
      group: "index",
      container: "DID_INDEXING",
      plain: "DID_INDEXING",
      about:
        "Keep what accounts say of their DIDs: verification methods, services, deactivation. Without it a document " +
        "has the key of the account and no more",
      negated:
        "Do not keep what accounts say of their DIDs: a document has the key of the account and no more",
      on: true,
    },
    yesNo,
    true,
  ),
  indexTransactions: always(
    {
      name: "index-transactions",
      group: "index",
      container: "TRANSACTION_INDEXING",
      plain: "TRANSACTION_INDEXING",
      about:
        "Answer `/transactions/addresses`. `/transactions/address` and `/leasing/active` are the node's own, and always there",
      negated: "Do not count the transactions of accounts by group, for `/transactions/addresses`",
      on: true,
    },
    yesNo,
    true,
  ),
  indexCredentials: always(
    {
      name: "index-credentials",
      group: "index",
      container: "CREDENTIAL_STATUS_INDEXING",
      plain: "CREDENTIAL_STATUS_INDEXING",
      about:
        "Whose statements are shown at `/credential-status` that issue, revoke, suspend or reinstate a credential: " +
        "nobody's, those of accounts with a role, or all",
    },
    whose,
    "all",
  ),
  indexDisputes: always(
    {
      name: "index-disputes",
      group: "index",
      container: "CREDENTIAL_DISPUTES_INDEXING",
      plain: "CREDENTIAL_DISPUTES_INDEXING",
      about: "The same for statements that dispute a credential, or acknowledge that",
    },
    whose,
    "all",
  ),
  indexStatistics: always(
    {
      name: "index-statistics",
      group: "index",
      container: "STATS_INDEXING",
      plain: "STATS_INDEXING",
      about: "Keep sums by day for `/stats`: transactions, operations, leases, supply, who forged",
      negated: "Keep no sums by day for `/stats`",
      on: true,
    },
    yesNo,
    true,
  ),
  indexGenerators: always(
    {
      name: "index-generators",
      group: "index",
      container: "GENERATOR_INDEXING",
      plain: "GENERATOR_INDEXING",
      about: "List at `/generators` who forged the newest blocks",
      negated: "Do not count who forged the newest blocks",
      on: true,
    },
    yesNo,
    true,
  ),
  generatorWindow: always(
    {
      name: "generator-window",
      group: "index",
      container: "GENERATOR_DELTA",
      plain: "GENERATOR_DELTA",
      about: "Over how many of the newest blocks `/generators` counts",
    },
    whole(1, 10_000_000, "a number of blocks"),
    GENERATOR_WINDOW,
  ),
  lockedSupply: always(
    {
      name: "locked-supply",
      group: "index",
      about:
        "Tokens that do not circulate, for `/stats/supply/circulating`: a JSON object of years, each an object of the " +
        "months `jan` to `dec` with whole tokens; the path of a JSON file; or an object in the YAML file",
      standardText: "that of the network: the known table on mainnet, nothing elsewhere",
    },
    lockedSupplyKind,
    (network) => (network.name === "mainnet" ? mainnetLockedSupply : noLockedSupply),
  ),
  indexAllTransactions: always(
    {
      name: "index-all-transactions",
      group: "index",
      reference: "index-all-transactions",
      about: "List the transactions of every type at `/transactions/address`, not only some",
      standardText: "that of the network: yes on dev and custom, else no",
    },
    yesNo,
    (network) => network.indexAll,
  ),
  didDefaultResponse: always(
    {
      name: "did-default-response",
      group: "index",
      container: "DID_DEFAULT_RESPONSE",
      plain: "DID_DEFAULT_RESPONSE",
      about: "What `/identifiers` and `/identities` answer when the request does not say",
    },
    oneOf(["document", "resolution"]),
    "document",
  ),
} as const;
