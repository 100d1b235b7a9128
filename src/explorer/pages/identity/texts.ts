import { catalogue } from "../../text/catalogue.ts";
import { numberText } from "../../text/text.ts";

export const identityTexts = catalogue("identityTexts", {
  title: "Identity",
  titleOf: (did: string) => `Identity ${did}`,
  invalid: "This is not a DID.",
  invalidAdvice:
    "A DID of this network is did:, the method name and an address, such as did:lto:3N… An address alone works too.",
  unknown: "The chain has no such identity.",
  unknownAdvice:
    "An account gets an identity with its first transaction, or when its key is registered. The DID may also belong to another network.",
  otherNetwork: "This is not a DID of this network.",
  otherNetworkAdvice:
    "Check that it is complete: its last characters are a checksum. Other DID methods are not supported.",

  created: "Created",
  updated: "Updated",
  alsoKnownAs: "Also known as",
  json: "DID resolution result",
  deactivated: {
    unknownBy: "{deactivated} on {time}.",
    byItself: "{deactivated} on {time} by its own account.",
    by: "{deactivated} on {time} by {did}.",
    status: "This identity was deactivated",
    permanent: "This is permanent.",
    earlier: "Earlier versions show the former documents.",
    only: "There are no earlier versions.",
  },
  derived: {
    note: "A derived identity of {did}, with the same keys. Anyone with this DID can link the two, since it contains the secret.",
    title: "Derived identities",
    lead: "A derived identity is another name of the account. Only people who know its secret can link the two. The secret will be in the address bar and in the request to the node.",
    secret: "Secret (Base58)",
    submit: "Show derived identity",
  },
  keys: {
    title: "Keys",
    own: "Own key",
    ofOther: "Key of another account",
    forEncryption: ", for encryption",
    permissions: "May",
    noPermissions: "Has no permissions",
    relationships: {
      authentication: "authenticate as this identity",
      assertionMethod: "sign statements and credentials",
      keyAgreement: "decrypt messages to this identity",
      capabilityInvocation: "use capabilities granted to this identity",
      capabilityDelegation: "delegate these capabilities",
    },
    deactivateOnly: "deactivate this identity, and nothing else",
    keyNoun: "key",
    keyIdNoun: "key id",
  },
  services: {
    title: "Services",
    none: "None.",
    unverified: "Written by the owner; links are not verified.",
    endpoint: "Endpoint",

    more: "Other members",
  },
  versions: {
    title: "History",
    older: "Older",
    newer: "Newer",
    name: (number: number, total: number) => `Version ${numberText(number)} of ${numberText(total)}`,
    newest: ", newest",
    first: ", first",
    beforeListed: (count: number) => `A version before the newest ${numberText(count)}`,
    from: "{version}: from {from}",
    fromTo: "{version}: from {from} to {to}",
    sliderText: (version: string, from: string) => `${version}, from ${from}`,
    tooEarlyFirst: "This identity did not exist at that time. The page shows its first version.",
    tooEarlyListed: "This identity did not exist at that time. The page shows the oldest listed version.",
    limited: (count: number) =>
      `The slider covers the newest ${numberText(count)} versions. To see an earlier version, add its time to the link (?time=).`,
  },
  credential: {
    title: "Credential of this issuer",
    label: "Credential id (hex, Base58 or URN)",
    submit: "Show status",
    credential: "Credential",
    notIssued: "This identity has not issued this credential.",
    caption: "Statements about the credential, oldest first",
    empty: "No statements that count for this issuer.",
    statement: "Statement",
    signer: "Signer",

    statements: {
      issue: "issued",
      revoke: "revoked",
      suspend: "suspended",
      reinstate: "reinstated",
      dispute: "disputed",
      acknowledge: "acknowledged",
    },
  },
});
