import { anchorTexts } from "../../client/anchor-texts.ts";
import type { Value } from "../describe/types.ts";
import { type Members, sentence } from "../describe/types.ts";
import { catalogue } from "../text/catalogue.ts";
import { countText, timeText } from "../text/text.ts";

const fileOrFingerprint = (isFile: boolean): string => (isFile ? "this file" : "this fingerprint");
const fingerprint = (isFile: boolean): string =>
  isFile ? "the fingerprint of this file" : "this fingerprint";
const checkWithoutProof = "Or check without a proof: the page then uses the node's proof.";
const askOtherNodes = "Only this node states that the block is on the network's chain: ask other nodes too.";

export const checkTexts = catalogue("checkTexts", {
  anchored: "Anchored",
  notYetAnchored: "Not yet anchored",
  notAnchored: "Not anchored",
  notProved: "Not proved",
  notFinal: "Not yet final",
  notChecked: "Not checked",

  anchoredSentence: (
    isFile: boolean,
    network: string | undefined,
    confirmations: number,
    { time, sender, block, transaction, genesis }: Members,
  ) =>
    sentence`${isFile ? "This file" : "The file with this fingerprint"} existed, exactly as it is, on ${time}: account ${sender} put its fingerprint into block ${block} with transaction ${transaction}, on ${
      network === undefined ? sentence`the chain that begins with block ${genesis}` : `LTO ${network}`
    }. The block has ${countText(confirmations, "confirmation")}.`,
  anchoredAdvice: (confirmations: number, maxForkDepth: number) =>
    `${confirmations < maxForkDepth ? `A fork can undo up to ${maxForkDepth} blocks: for important files, check again at ${maxForkDepth} confirmations.` : "No fork can undo this block any more."} ${askOtherNodes}`,
  queuedSentence: (isFile: boolean, since: Value | undefined) =>
    sentence`The node received ${fingerprint(isFile)}${
      since && sentence` on ${since}`
    } and will anchor it together with others; it is not in a transaction yet.`,
  queuedAdvice: "Check again later: nothing is proved until the fingerprint is in a block.",
  unknownIdSentence: (isFile: boolean) =>
    `The proof for ${fileOrFingerprint(isFile)} names a transaction that the node does not know.`,
  unknownTransactionAdvice:
    "The transaction belongs to another network, or its block was reverted permanently. Check with a node of the proof's network.",
  unknownSentence: (isFile: boolean) => `The node knows no transaction with ${fingerprint(isFile)}.`,
  unknownAdvice: (isFile: boolean): string =>
    isFile
      ? "The file was never anchored on this network, or has changed: a single changed byte changes the fingerprint."
      : "The fingerprint was never anchored on this network, or contains a typo.",
  proofWrong: "The proof is wrong.",
  wrongSteps: {
    proof: [
      "The proof is invalid, or belongs to another file.",
      `Use the proof that belongs to this file. ${checkWithoutProof}`,
    ],
    path: [
      "The proof was changed: its path does not lead from this file to the anchored hash.",
      `Ask the sender for the original proof. ${checkWithoutProof}`,
    ],
    transaction: [
      "The transaction in the proof anchors something else.",
      `Use the proof that belongs to this file. ${checkWithoutProof}`,
    ],
    signature: [
      "The transaction is not signed by its sender.",
      "An account with a script may not need a signature; this page cannot check that.",
    ],
    place: [
      "The proof states the wrong block or index for the transaction.",
      "The proof was created before a fork, or was changed. Check without a proof: the node then creates a new one.",
    ],
  } satisfies Readonly<Record<string, readonly [sentence: string, advice: string]>>,
  contradiction: "The node contradicts itself or the signatures: do not trust its answers.",
  contradictionAdvice: "Ask a node of another operator. The failed step shows the difference.",
  pendingSentence: (isFile: boolean) =>
    `A transaction with ${fingerprint(isFile)} is pending: nothing is proved yet.`,
  inNewestBlockSentence: (isFile: boolean) =>
    `${isFile ? "The fingerprint of this file" : "This fingerprint"} is in the newest block, which can change until another block follows.`,
  nextBlockAdvice: "This page checks again with the next block.",
  unreachable: "The node did not answer, so it is unknown whether there is an anchor.",
  unreachableAdvice: "Check that the node is running and reachable, then try again.",

  fileTooLarge: "This file is too large for a browser. Compute its SHA-256 with sha256sum and paste it.",
  fileUnreadable: "Cannot read the whole file. Was it moved or changed? Choose it again.",

  findings: { ...anchorTexts, time: (ms: number) => timeText(BigInt(ms)) },
  titles: {
    file: "Fingerprint of the file",
    proof: "The proof belongs to this fingerprint",
    block: "The node's block is signed",
    transaction: "The block contains a signed transaction with the fingerprint",
    final: "Other blocks follow the block",
  },
  computedHash: (hash: string) => `Computed here: ${hash}`,
  enteredHash: (hash: string) => `Entered, not computed here: ${hash}`,
  instructions: (hash: string, height: number | string) => ({
    file: `The fingerprint is the file's SHA-256, which differs for each file. It must be ${hash}.`,
    proof:
      "targetHash must be the fingerprint. If the proof has a path, each step is the SHA-256 of two hashes (as bytes), and the last one must be merkleRoot.",
    block:
      "The last 64 bytes of the block are its signature, which is also its id; the 32 bytes before are its generator's key. The signature covers all bytes before it.",
    transaction:
      "The block must contain the transaction named by the proof. This transaction must contain the fingerprint, or the root at the end of the path. The explorer shows the transaction byte by byte.",
    final: `Ask other, independent nodes of the network: their block at height ${height} must have the same id.`,
  }),
  onWindows: "on Windows",
  mustBe: (id: string) => `must be ${id}`,
  allOfThis: "does all of this",
});
