import { encodeHex } from "../bytes/hex.ts";
import { type AnchorTexts, anchorTexts } from "./anchor-texts.ts";

/** A fork can undo at most this number of blocks. Page 03 §14. */
export const MAX_FORK_DEPTH = 100;

export type AnchorStatus =
  /** No check failed. */
  | "verified"
  /** No node has a proof, or none has the transaction. */
  | "not-anchored"
  /** The proof, the transaction and the hash do not match. */
  | "proof-wrong"
  /** A node contradicts itself, the signatures or another node. */
  | "nodes-disagree"
  /** The transaction is in the pool, or its block has too few confirmations. */
  | "not-final"
  /** A node did not answer. */
  | "unreachable";

export type AnchorStepName =
  /** The proof is for the hash. */
  | "proof"
  /** The path of the Merkle tree leads to the root. */
  | "path"
  /** A node has the transaction. */
  | "node"
  /** The generator signed the block. */
  | "block"
  /** The transaction is in the block and anchors the hash. */
  | "transaction"
  /** Sender and sponsor signed. */
  | "signature"
  /** The height and position in the proof are right. */
  | "place"
  /** The block has enough confirmations. */
  | "final";

/** If a step ends the check, later steps are missing. */
export interface AnchorStep {
  readonly name: AnchorStepName;
  readonly holds: boolean;
  readonly says: string;
  /** Set for a step about one node. */
  readonly node?: string | undefined;
}

/** Ids and addresses are in Base58. */
export interface Anchored {
  readonly transactionId: string;
  readonly sender: string;
  readonly sponsor?: string | undefined;
  readonly generator: string;
  readonly height: number;
  /** Index in the block, from 0. */
  readonly position: number;
  readonly blockId: string;
  /** According to the generator, ms since 1970. */
  readonly time: number;
  /** Lowest number that a node reports. */
  readonly confirmations: number;
  /** Genesis block's id, according to the nodes. */
  readonly genesis: string;
  /** Undefined for a private network. */
  readonly network?: string | undefined;
}

export interface AnchorVerdict {
  readonly status: AnchorStatus;
  readonly says: string;
  readonly steps: readonly AnchorStep[];
  readonly hash: string;
  /** Set if all steps up to `place` succeed, even if a later one fails. */
  readonly anchored?: Anchored | undefined;
}

/** Ends a failed check. */
export class CheckEnded extends Error {
  override readonly name = "CheckEnded";
  readonly status: AnchorStatus;
  constructor(status: AnchorStatus, says: string) {
    super(says);
    this.status = status;
  }
}

export class StepLog {
  readonly list: AnchorStep[] = [];
  readonly texts: AnchorTexts;
  readonly #onStep: (step: AnchorStep) => void;

  constructor(onStep: (step: AnchorStep) => void = () => {}, texts = anchorTexts) {
    this.#onStep = onStep;
    this.texts = texts;
  }

  #add(step: AnchorStep): void {
    this.list.push(step);
    this.#onStep(step);
  }

  pass(name: AnchorStepName, says: string, node?: string): void {
    this.#add({ name, holds: true, says, node });
  }

  fail(name: AnchorStepName, says: string, node?: string): void {
    this.#add({ name, holds: false, says, node });
  }

  /** @throws CheckEnded */
  end(status: AnchorStatus, name: AnchorStepName, says: string, node?: string): never {
    this.fail(name, says, node);
    throw new CheckEnded(status, says);
  }
}

const STATUS_TEXTS: Record<Exclude<AnchorStatus, "verified">, string> = {
  "not-anchored": "is not anchored",
  "proof-wrong": "is not proved: the proof is wrong",
  "nodes-disagree": "is not proved: the nodes contradict each other or the signatures",
  "not-final": "is anchored, but not final yet",
  unreachable: "could not be checked",
};

export function refusalSentence(hash: Uint8Array, status: keyof typeof STATUS_TEXTS, says: string): string {
  return `The hash ${encodeHex(hash)} ${STATUS_TEXTS[status]}: ${says}.`;
}

export function verifiedSentence(hash: Uint8Array, anchored: Anchored, nodeCount: number): string {
  const { height, confirmations, sender, time, network, genesis } = anchored;
  const where = network === undefined ? `the chain that begins with block ${genesis}` : network;
  const who = nodeCount === 1 ? "the node" : `all ${nodeCount} nodes`;
  return `The hash ${encodeHex(hash)} was anchored by ${sender} in block ${height} of ${where}, at ${anchorTexts.time(time)}, with ${confirmationsText(confirmations)}, according to ${who} and the signatures.`;
}

function confirmationsText(count: number): string {
  return `${count} confirmation${count === 1 ? "" : "s"}`;
}
