import { type AnchorStepName, type AnchorVerdict, MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import type { SentencePart } from "../describe/sentence.ts";

/** Shown as a colour and an icon. */
type Tone = "good" | "waiting" | "bad" | "unknown";

export interface CheckOutcome {
  readonly tone: Tone;
  /** Two or three words. */
  readonly stamp: string;
  readonly sentence: readonly SentencePart[];
  /** What to do next, or a caveat. */
  readonly advice: string;
}

interface CheckContext {
  readonly ofFile: boolean;
  /** Otherwise the proof comes from the node. */
  readonly proofGiven: boolean;
  readonly queued?: QueuedHash | undefined;
}

export interface QueuedHash {
  /** When the node received the hash, ms since 1970. */
  readonly since: number | undefined;
}

function subject(ofFile: boolean): string {
  return ofFile ? "This file" : "What has this fingerprint";
}

function anchoredOutcome(anchored: NonNullable<AnchorVerdict["anchored"]>, ofFile: boolean): CheckOutcome {
  const { time, sender, height, confirmations, network, genesis } = anchored;
  const chain: SentencePart[] =
    network === undefined
      ? ["the chain that begins with block ", { kind: "block", id: genesis }]
      : [`LTO ${network}`];
  const upon = `${confirmations} ${confirmations === 1 ? "block stands" : "blocks stand"}`;
  return {
    tone: "good",
    stamp: "Anchored",
    sentence: [
      `${subject(ofFile)} existed, exactly as it is, on `,
      { kind: "time", time: BigInt(Math.trunc(time)) },
      ": the account ",
      { kind: "address", address: sender },
      " put its fingerprint into block ",
      { kind: "height", height },
      " of ",
      ...chain,
      `, on which ${upon} now.`,
    ],
    advice:
      confirmations < MAX_FORK_DEPTH
        ? `A fork can undo up to ${MAX_FORK_DEPTH} blocks: for what matters, check again once ${MAX_FORK_DEPTH} stand on it. That the block is on the chain of the network is what the node says: ask others as well.`
        : "More blocks stand on it than any fork can undo. That the block is on the chain of the network is what the node says: ask others as well.",
  };
}

const FAILED_STEP_TEXTS: Readonly<
  Partial<Record<AnchorStepName, readonly [sentence: string, advice: string]>>
> = {
  proof: [
    "The proof is none, or not one for this file.",
    "Take the proof that belongs to this file, or none: the node is asked for it then.",
  ],
  path: [
    "The proof was changed: its path does not lead from this file to what was anchored.",
    "Ask whoever gave the proof for the right one, or take none: the node is asked for it then.",
  ],
  transaction: [
    "The transaction that the proof names anchors something else.",
    "Take the proof that belongs to this file, or none: the node is asked for it then.",
  ],
  signature: [
    "The transaction does not carry the signature of the account that is said to have sent it.",
    "Accounts with a script can do without one; whether this one could cannot be seen here.",
  ],
  place: [
    "The proof names another place in the chain than the one where the transaction stands.",
    "It was made before a fork, or changed. Check without it: the node is asked for a new one.",
  ],
};

const CONTRADICTION: CheckOutcome = {
  tone: "bad",
  stamp: "Not proved",
  sentence: ["What the node answers contradicts itself, or what is signed: it cannot be believed."],
  advice: "Ask a node that somebody else runs. The step that failed says what does not fit.",
};

function failedStep({ steps }: AnchorVerdict): AnchorStepName | undefined {
  return steps.find(({ holds }) => !holds)?.name;
}

export function checkOutcomeOf(
  verdict: AnchorVerdict,
  { ofFile, proofGiven, queued }: CheckContext,
): CheckOutcome {
  const failed = failedStep(verdict);
  const it = ofFile ? "this file" : "this fingerprint";
  switch (verdict.status) {
    case "verified":
      if (verdict.anchored !== undefined) return anchoredOutcome(verdict.anchored, ofFile);
      break;
    case "not-anchored":
      if (queued !== undefined)
        return {
          tone: "waiting",
          stamp: "Not yet anchored",
          sentence: [
            `The node keeps the fingerprint of ${it}`,
            ...(queued.since === undefined
              ? []
              : [" since ", { kind: "time", time: BigInt(Math.trunc(queued.since)) } as const]),
            ", to anchor it together with others; no transaction holds it yet.",
          ],
          advice: "Come back in a while: nothing is proved before it stands in a block.",
        };
      if (failed === "node")
        return {
          tone: "bad",
          stamp: "Not anchored",
          sentence: [`The proof for ${it} names a transaction that the node does not know.`],
          advice:
            "It is of another network, or its block was undone and it never came back. Check with a node of the network that the proof is of.",
        };
      return {
        tone: "bad",
        stamp: "Not anchored",
        sentence: [`The node knows no transaction that holds the fingerprint of ${it}.`],
        advice: ofFile
          ? "It was never anchored on this network, or it is not exactly the file that was: a single changed byte gives another fingerprint."
          : "It was never anchored on this network, or a character of it is wrong.",
      };
    case "proof-wrong": {
      if (!proofGiven && failed !== "signature") return CONTRADICTION;
      const [sentence, advice] = (failed && FAILED_STEP_TEXTS[failed]) ?? ["The proof is wrong.", ""];
      return { tone: "bad", stamp: "Not proved", sentence: [sentence], advice };
    }
    case "nodes-disagree":
      return CONTRADICTION;
    case "not-final":
      return failed === "node"
        ? {
            tone: "waiting",
            stamp: "Not yet anchored",
            sentence: [
              `A transaction with the fingerprint of ${it} was sent, and waits for a block: nothing is proved yet.`,
            ],
            advice: "This page checks again when the next block comes.",
          }
        : {
            tone: "waiting",
            stamp: "Not yet final",
            sentence: [
              `The fingerprint of ${it} stands in the newest block, which can still change until another one stands on it.`,
            ],
            advice: "This page checks again when the next block comes.",
          };
    case "unreachable":
      break;
  }
  return {
    tone: "unknown",
    stamp: "Not checked",
    sentence: [
      "The node gave no answer, so that nothing is known: neither that it is anchored nor that it is not.",
    ],
    advice: "Check that the node runs and can be reached, and try again.",
  };
}
