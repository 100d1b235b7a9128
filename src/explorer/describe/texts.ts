import { countText } from "../text/text.ts";
import { type Members, sentence } from "./types.ts";
import type { Value } from "./value.ts";

export const describeTexts = {
  labels: {
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
  } as Readonly<Record<string, string>>,
  oneProof: "Signature",
  unknownType: (type: number) => `type ${type}`,

  action: (type: string, { sender, amount, recipient }: Members) =>
    sentence`${sender} made a ${type} transaction${amount && sentence` of ${amount}`}${
      recipient && sentence` for ${recipient}`
    }`,
  waiting: "; pending",
  reverted: "; pending again, since its block left the chain",
  liquid: (block: Value) => sentence`; in block ${block}, the newest one, which can still change`,
  confirmed: (block: Value, confirmations: number, finalAt: number) =>
    sentence`; in block ${block} with ${countText(confirmations, "confirmation")}, final at ${String(finalAt)}`,
  final: (block: Value) => sentence`; in block ${block}, final`,
  fee: (amount: Value, payer: Value | undefined) =>
    sentence`; fee ${amount}${payer && sentence`, paid by ${payer}`}`,

  blockFields: {
    version: "Version",
    timestamp: "Time",
    reference: "Parent block",
    consensusLength: "Length of the next two fields",
    baseTarget: "Base target",
    generationSignature: "Generation signature",
    transactionsLength: "Length of the transactions",
    transactions: "Transactions",
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
  wrongJson: (member: string) => `member ${member} does not fit the transaction type`,
};
