import { catalogue } from "../text/catalogue.ts";
import type { Value } from "./types.ts";
import { countItems, type Members, sentence } from "./types.ts";

const about = (value: Value | undefined) => value && sentence` about ${value}`;

const addedOrRemoved = (value: Value | undefined, noun: string) =>
  value === undefined
    ? sentence`removed the ${noun} from its account`
    : sentence`added ${value} to its account`;

export const describeTexts = catalogue("describeTexts", {
  labels: {
    chainId: "Chain id",
    sender: "Sender",
    recipient: "Recipient",
    attachment: "Attachment",
    anchors: "Anchors",
    script: "Script",
    transfers: "Transfers",
    transferCount: "Transfer count",
    statementType: "Statement type",
    expires: "Expires",
    accounts: "Accounts",
    certificate: "Certificate",
    sponsor: "Sponsor",
    signature: "Signature",
    timestamp: "Time",
    fee: "Fee offered",
    effectiveFee: "Fee paid",
    effectiveSponsor: "Fee paid by",
    senderPublicKey: "Sender's key",
    sponsorPublicKey: "Sponsor's key",
    proofs: "Signatures",
    totalAmount: "Total",
    leaseId: "Lease",
    blockSignature: "Block",
  },
  unknownType: (type: number) => `type ${type}`,
  /** By the names that the API uses. */
  types: {
    genesis: "genesis",
    payment: "payment",
    transfer: "transfer",
    lease: "lease",
    "cancel-lease": "cancel lease",
    "mass-transfer": "mass transfer",
    data: "data",
    "set-script": "set script",
    anchor: "anchor",
    "issue-association": "issue association",
    "revoke-association": "revoke association",
    sponsorship: "sponsorship",
    "cancel-sponsorship": "cancel sponsorship",
    register: "register",
    burn: "burn",
    "mapped-anchor": "mapped anchor",
    statement: "statement",
    certificate: "certificate",
  },
  /** Of the identity rules (page 07). */
  associationTypes: {
    256: "verification method",
    257: "authentication",
    258: "assertion",
    260: "key agreement",
    264: "capability",
    4096: "deactivation",
  },
  statementTypes: {
    16: "issue",
    17: "revoke",
    18: "suspend",
    19: "reinstate",
    20: "dispute",
    21: "acknowledge",
    288: "deactivate",
    289: "deactivate another",
  },
  actions: {
    genesis: ({ amount, recipient }: Members) => sentence`The first block gave ${amount} to ${recipient}`,
    payment: ({ sender, amount, recipient }: Members) => sentence`${sender} paid ${amount} to ${recipient}`,
    transfer: ({ sender, amount, recipient }: Members) => sentence`${sender} sent ${amount} to ${recipient}`,
    lease: ({ sender, amount, recipient }: Members) => sentence`${sender} leased ${amount} to ${recipient}`,
    "cancel-lease": ({ sender, leaseId }: Members) => sentence`${sender} cancelled the lease ${leaseId}`,
    "mass-transfer": ({ sender, totalAmount, transfers }: Members) =>
      sentence`${sender} sent ${totalAmount} to ${countItems(transfers, "account")}`,
    data: ({ sender, data }: Members) =>
      sentence`${sender} wrote ${countItems(data, "data entry", "data entries")} to its account`,
    "set-script": ({ sender, script }: Members) => sentence`${sender} ${addedOrRemoved(script, "script")}`,
    anchor: ({ sender, anchors }: Members) =>
      sentence`${sender} anchored ${countItems(anchors, "hash", "hashes")}`,
    "issue-association": ({ sender, associationType, recipient, subject }: Members) =>
      sentence`${sender} issued an association of type ${associationType} to ${recipient}${about(subject)}`,
    "revoke-association": ({ sender, associationType, recipient, subject }: Members) =>
      sentence`${sender} revoked an association of type ${associationType} to ${recipient}${about(subject)}`,
    sponsorship: ({ sender, recipient }: Members) =>
      sentence`${sender} started paying the fees of ${recipient}`,
    "cancel-sponsorship": ({ sender, recipient }: Members) =>
      sentence`${sender} stopped paying the fees of ${recipient}`,
    register: ({ sender, accounts }: Members) =>
      sentence`${sender} registered ${countItems(accounts, "key")}`,
    burn: ({ sender, amount }: Members) => sentence`${sender} burned ${amount}`,
    "mapped-anchor": ({ sender, anchors }: Members) =>
      sentence`${sender} anchored ${countItems(anchors, "hash under a key", "hashes under keys")}`,
    statement: ({ sender, statementType, recipient, subject }: Members) =>
      sentence`${sender} made a statement of type ${statementType}${about(recipient)}${
        subject && sentence` with subject ${subject}`
      }`,
    certificate: ({ sender, certificate }: Members) =>
      sentence`${sender} ${addedOrRemoved(certificate, "certificate")}`,
  },

  action: (type: string, { sender, amount, recipient }: Members) =>
    sentence`${sender} made a ${type} transaction${amount && sentence` of ${amount}`}${
      recipient && sentence` for ${recipient}`
    }`,
  waiting: "; pending",
  reverted: "; pending again, since its block left the chain",
  notFinal: (block: Value) => sentence`; in block ${block}, not final yet`,
  final: (block: Value) => sentence`; in block ${block}, final`,
  fee: (amount: Value, payer: Value | undefined) =>
    sentence`; fee ${amount}${payer && sentence`, paid by ${payer}`}`,

  blockFields: {
    reference: "Parent block",
    consensusLength: "Length of the next two fields",
    generationSignature: "Generation signature",
    transactionsLength: "Length of the transactions",
    features: "Feature votes",
    feeVote: "Fee vote",
    generator: "Generator's key",
    signature: "Signature and id",
  },
  // Each text follows "Cannot read the bytes: ".
  notABlock: "they are not a block",
  notCanonicalBlock: "the block is not in its standard form",
  notATransaction: "they are not a transaction",
  notCanonical: "their old form cannot be split into fields",
  unsigned: "the transaction is not signed",
  /** @param member "" if the fault is in no member */
  wrongJson: (member: string) =>
    `${member === "" ? "the JSON" : `member ${member}`} does not fit the transaction type`,
});
