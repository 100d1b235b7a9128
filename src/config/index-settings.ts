/** What is indexed of the chain, and how the index answers: page 07 §4.2. */
import { always, maybe } from "./define-setting.ts";
import { oneOf, text, yesNo } from "./kinds.ts";
import { defaultTrustNetwork, trustNetworkKind } from "./trust-network-kind.ts";

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
