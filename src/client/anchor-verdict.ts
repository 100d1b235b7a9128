/** What a check of an anchor found, in words and as data. */
import { encodeHex } from "../bytes/hex.ts";

/** Forks undo no more blocks than that. Page 03 §14. */
export const MAX_FORK_DEPTH = 100;

/** How a check ends. */
export type AnchorStatus =
  /** Every step holds. */
  | "verified"
  /** No node has it on its chain, nor in its pool. */
  | "not-anchored"
  /** Proof, transaction and hash do not fit each other, whatever nodes say. */
  | "proof-wrong"
  /** A node contradicts itself, the signatures, or another node. */
  | "nodes-disagree"
  /** It waits for a block, or too few blocks stand on the one that has it. */
  | "not-final"
  /** A node gives no answer; those that do may show it. */
  | "unreachable";

/** What a step is about. */
export type AnchorStepName =
  | "proof"
  | "path"
  | "node"
  | "block"
  | "transaction"
  | "signature"
  | "place"
  | "final";

/** One step of a check. Steps that come after one that fails are left out. */
export interface AnchorStep {
  readonly name: AnchorStepName;
  readonly holds: boolean;
  readonly says: string;
  /** URL of the node that it is about, where it is about one. */
  readonly node?: string | undefined;
}

/** Where and when a hash was anchored; ids in Base58. */
export interface Anchored {
  readonly transactionId: string;
  /** Addresses. */
  readonly sender: string;
  readonly sponsor?: string | undefined;
  readonly generator: string;
  readonly height: number;
  /** Number in the block, from 0. */
  readonly position: number;
  readonly blockId: string;
  /** When its generator says the block was made, ms since 1970. */
  readonly time: number;
  /** Blocks that stand on it, at the node with the fewest. */
  readonly confirmations: number;
  /** Id of the first block of the chain, as the nodes say. */
  readonly genesis: string;
  /** Name of the public network that has this first block. */
  readonly network?: string | undefined;
}

export interface AnchorVerdict {
  readonly status: AnchorStatus;
  /** One sentence. */
  readonly says: string;
  readonly steps: readonly AnchorStep[];
  /** Hexadecimal. */
  readonly hash: string;
  /** Present once block, transaction and signatures hold, however it ends. */
  readonly anchored?: Anchored | undefined;
}

/** Ends a check. */
export class CheckEnded extends Error {
  override readonly name = "Ended";
  readonly status: AnchorStatus;
  constructor(status: AnchorStatus, says: string) {
    super(says);
    this.status = status;
  }
}

/** The steps of a check, one after the other. */
export class StepLog {
  readonly list: AnchorStep[] = [];
  readonly #onStep: (step: AnchorStep) => void;

  constructor(onStep: (step: AnchorStep) => void = () => {}) {
    this.#onStep = onStep;
  }

  #add(step: AnchorStep): void {
    this.list.push(step);
    this.#onStep(step);
  }

  holds(name: AnchorStepName, says: string, node?: string): void {
    this.#add({ name, holds: true, says, node });
  }

  fails(name: AnchorStepName, says: string, node?: string): void {
    this.#add({ name, holds: false, says, node });
  }

  /** A step that fails and ends the check. @throws Ended */
  end(status: AnchorStatus, name: AnchorStepName, says: string, node?: string): never {
    this.fails(name, says, node);
    throw new CheckEnded(status, says);
  }
}

const STATUS_TEXTS: Record<Exclude<AnchorStatus, "verified">, string> = {
  "not-anchored": "is not anchored",
  "proof-wrong": "is not proved: the proof is wrong",
  "nodes-disagree": "is not proved: the nodes do not agree with each other, or with the signatures",
  "not-final": "is anchored, but not finally yet",
  unreachable: "could not be checked",
};

/** The sentence of a check that did not end well. */
export function refusalSentence(hash: Uint8Array, status: keyof typeof STATUS_TEXTS, says: string): string {
  return `The hash ${encodeHex(hash)} ${STATUS_TEXTS[status]}: ${says}.`;
}

/** A time as text; its milliseconds where no calendar has it. */
export function timeText(time: number): string {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? `${time} ms` : date.toISOString();
}

/** The sentence of a check that ended well. */
export function verifiedSentence(hash: Uint8Array, anchored: Anchored, nodes: number): string {
  const { height, confirmations, sender, time, network, genesis } = anchored;
  const where = network === undefined ? `the chain that begins with block ${genesis}` : network;
  const deep = `with ${confirmations} block${confirmations === 1 ? "" : "s"} upon it`;
  const who = nodes === 1 ? "the node that was asked" : `all ${nodes} nodes that were asked`;
  return `The hash ${encodeHex(hash)} was anchored by ${sender} in block ${height} of ${where}, at ${timeText(time)}, ${deep}, as ${who} and the signatures say.`;
}
