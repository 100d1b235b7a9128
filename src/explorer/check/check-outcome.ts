import { type AnchorStepName, type AnchorVerdict, MAX_FORK_DEPTH } from "../../client/anchor-verdict.ts";
import type { SentencePart, Value } from "../describe/types.ts";
import { checkTexts as texts } from "./texts.ts";

type Tone = "good" | "waiting" | "bad" | "unknown";

export interface CheckOutcome {
  readonly tone: Tone;
  readonly title: string;
  readonly sentence: readonly SentencePart[];
  readonly advice: string;
}

interface CheckContext {
  readonly hasFile: boolean;
  /** False if the proof comes from the node. */
  readonly isUserProof: boolean;
  readonly queued?: QueuedHash | undefined;
}

export interface QueuedHash {
  /** When the node received the hash, ms since 1970. */
  readonly since: number | undefined;
}

const outcome = (
  tone: Tone,
  title: string,
  sentence: string | readonly SentencePart[],
  advice: string,
): CheckOutcome => ({ tone, title, sentence: [sentence].flat(), advice });

const wrongSteps: Readonly<Partial<Record<AnchorStepName, readonly [sentence: string, advice: string]>>> =
  texts.wrongSteps;

const timeOf = (ms: number): Value => ({ kind: "time", time: BigInt(Math.trunc(ms)) });

function anchoredOutcome(anchored: NonNullable<AnchorVerdict["anchored"]>, hasFile: boolean): CheckOutcome {
  const { transactionId, time, sender, height, confirmations, network, genesis } = anchored;
  const sentence = texts.anchoredSentence(hasFile, network, confirmations, {
    time: timeOf(time),
    sender: { kind: "address", address: sender },
    block: { kind: "height", height },
    transaction: { kind: "transaction", id: transactionId },
    genesis: { kind: "block", id: genesis },
  });
  return outcome("good", texts.anchored, sentence, texts.anchoredAdvice(confirmations, MAX_FORK_DEPTH));
}

const contradiction = (): CheckOutcome =>
  outcome("bad", texts.notProved, texts.contradiction, texts.contradictionAdvice);

export function checkOutcomeOf(
  verdict: AnchorVerdict,
  { hasFile, isUserProof, queued }: CheckContext,
): CheckOutcome {
  const failedStep = verdict.steps.find(({ holds }) => !holds)?.name;
  switch (verdict.status) {
    case "verified":
      if (verdict.anchored !== undefined) return anchoredOutcome(verdict.anchored, hasFile);
      break;
    case "not-anchored":
      if (queued !== undefined) {
        const since = queued.since === undefined ? undefined : timeOf(queued.since);
        return outcome(
          "waiting",
          texts.notYetAnchored,
          texts.queuedSentence(hasFile, since),
          texts.queuedAdvice,
        );
      }
      return failedStep === "node"
        ? outcome("bad", texts.notAnchored, texts.unknownIdSentence(hasFile), texts.unknownTransactionAdvice)
        : outcome("bad", texts.notAnchored, texts.unknownSentence(hasFile), texts.unknownAdvice(hasFile));
    case "proof-wrong": {
      if (!isUserProof && failedStep !== "signature") return contradiction();
      const [sentence, advice] = (failedStep && wrongSteps[failedStep]) ?? [texts.proofWrong, ""];
      return outcome("bad", texts.notProved, sentence, advice);
    }
    case "nodes-disagree":
      return contradiction();
    case "not-final":
      return failedStep === "node"
        ? outcome("waiting", texts.notYetAnchored, texts.pendingSentence(hasFile), texts.nextBlockAdvice)
        : outcome("waiting", texts.notFinal, texts.inNewestBlockSentence(hasFile), texts.nextBlockAdvice);
    case "unreachable":
      break;
  }
  return outcome("unknown", texts.notChecked, texts.unreachable, texts.unreachableAdvice);
}
