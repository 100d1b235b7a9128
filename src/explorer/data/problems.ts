import { JsonError } from "../../bytes/json.ts";
import { InvalidAnswerError, NoAnswerError } from "../../client/bounded-fetch.ts";
import { type Decoded, membersOf } from "../../client/decode.ts";
import { EventStreamError, FailedRequestError } from "../../client/index.ts";
import { PageProblem, type Problem } from "../page.ts";

const MAX_DETAIL_LENGTH = 300;

function detailOf(answer: Decoded): string | undefined {
  if (typeof answer === "string") return answer.slice(0, MAX_DETAIL_LENGTH) || undefined;
  const { message, error, details } = membersOf(answer);
  const text = [message, error, details].find((one) => typeof one === "string");
  return text?.slice(0, MAX_DETAIL_LENGTH) || undefined;
}

/** Describes the progress of an index that is being built. */
function progressOf(answer: Decoded): string | undefined {
  const { index, height, of } = membersOf(answer);
  if (typeof index !== "string") return undefined;
  const way = typeof height === "number" && typeof of === "number" ? `, block ${height} of ${of}` : "";
  return `The node is building its index “${index.slice(0, 40)}”${way}.`;
}

function statusProblem({ status, answer }: FailedRequestError): Problem {
  const detail = detailOf(answer);
  if (status === 404 || status === 410)
    return {
      kind: "unknown",
      message: "The node does not know it.",
      advice: "Check the text, or look again when the node has all of the chain.",
      detail,
    };
  if (status === 400 || status === 414)
    return {
      kind: "malformed",
      message: "The node cannot read it.",
      advice: "Check the text.",
      detail,
    };
  if (status === 401 || status === 403)
    return {
      kind: "refused",
      message: "The node refuses it.",
      advice: "Give its API key, or ask from the machine that it runs on.",
      detail,
    };
  const progress = status === 503 ? progressOf(answer) : undefined;
  if (progress !== undefined)
    return {
      kind: "building",
      message: progress,
      advice: "The page shows it when that is done.",
      detail,
    };
  if (status === 503 || status === 429)
    return {
      kind: "busy",
      message: "The node has too much to do.",
      advice: "Try again in a moment.",
      detail,
    };
  return {
    kind: "failed",
    message: `The node failed with status ${status}.`,
    advice: "Its log says what happened.",
    detail,
  };
}

/** Describes an error of a request or of the page. */
export function problemOf(error: unknown): Problem {
  if (error instanceof PageProblem) {
    const kind = error.kind === "unavailable" ? "failed" : error.kind;
    return { kind, message: error.message, advice: error.advice };
  }
  if (error instanceof FailedRequestError) return statusProblem(error);
  if (error instanceof NoAnswerError && error.message.startsWith("no answer within"))
    return {
      kind: "late",
      message: "The node did not answer in time.",
      advice: "It may be busy, or the connection slow. Try again in a moment.",
    };
  if (error instanceof NoAnswerError)
    return {
      kind: "unreachable",
      message: "The node cannot be reached.",
      advice:
        "See whether it runs, and whether its address is right. A page that came by https cannot ask a node by http.",
    };
  const isWrong = error instanceof InvalidAnswerError || error instanceof EventStreamError;
  if (isWrong || error instanceof JsonError)
    return {
      kind: "nonsense",
      message: "What answers there does not answer as a node does.",
      advice: "See whether the address is that of a node's interface.",
      detail: error.message.slice(0, MAX_DETAIL_LENGTH),
    };
  return {
    kind: "failed",
    message: "The page failed.",
    advice: "Load it again; if it fails again, its developers would like to hear of it.",
    detail: error instanceof Error ? error.message.slice(0, MAX_DETAIL_LENGTH) : undefined,
  };
}

/** The node answers, but does not allow pages from other hosts to read it (CORS). */
export const crossOriginProblem: Problem = {
  kind: "closed to pages",
  message: "The node answers, but lets no page of another host read its answers.",
  advice: "Its operator can allow that (cors); or open the page that this node itself shows.",
};
