import { catalogue } from "../../text/catalogue.ts";
import { countText, numberText } from "../../text/text.ts";

export const blockTexts = catalogue("blockTexts", {
  title: (heightOrId: string) => `Block ${heightOrId}`,
  neighbours: "Adjacent blocks",
  malformed: "This is neither a height nor a block id.",
  malformedAdvice:
    "A height is a whole number, at least 1. An id has about 88 letters and digits, without 0, O, I and l.",
  unknown: "This block is not on the node's chain.",
  tooHigh: (height: number) =>
    `The chain has ${countText(height, "block")}. If the node is syncing, wait until it has finished.`,
  tooLow: "The first block has height 1.",
  unknownId: "It may belong to another network, or have left the chain long ago.",
  gone: "It has just left the chain. Reload the page.",
  status: {
    outdated: "This is an earlier state of the block, before transactions were added.",
    current: "Current state of the block",
    liquid: "Newest block: transactions are still being added, and another block may replace it.",
    first: "First block of the chain: final.",
    confirmed: "{confirmations}; final at {final}.",
    final: "{confirmations}: final.",
  },
  reverted: {
    block: "Reverted block",
    microBlock: "Reverted micro block",
    height: (height: number) => `at height ${numberText(height)}`,
    warning: "No longer on the chain.",
    keepsKeyBlock:
      "Its key block is still on the chain. Transactions added by this micro block are pending, unless the current block includes them.",
    all: "Its transactions are pending, unless the new chain includes them.",
    replaced: "Replaced by {block}.",
    notReplaced: "No block has replaced it yet.",
  },
  header: {
    title: "Header",
    delay: (seconds: string) => `, ${seconds} s after its parent`,
    generator: "Generator",
    parent: "Parent block",
    generationSignature: "Generation signature",
    generationSignatureNoun: "generation signature",
  },
  fees: {
    title: "Fees, rewards and votes",
    fees: "Transaction fees",
    burned: "Burned fees",
    miningReward: "Mining reward",
    generatorReward: "Paid to generator",
    feeVote: "Fee vote",
    feeVotes: { "-1": "lower", "0": "unchanged", "1": "higher" },
    featureVotes: "Feature votes",
  },
  microBlocks: { title: "Micro blocks", number: "Number" },
  transactions: { caption: "Transactions of the block", index: "Index", empty: "No transactions." },
  bytes: {
    show: (size: string) => `Show ${size}`,
    failed:
      "The node did not return the bytes. It does not have the bytes of earlier states of the newest block.",
    verified:
      "Verified here: the generator signed all bytes before the signature, and the signature is the block id.",
    wrong:
      "Verification failed: the generator did not sign these bytes, or the signature is not the block id.",
  },
});
