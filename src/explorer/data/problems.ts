import { JsonError } from "../../bytes/json.ts";
import { InvalidAnswerError, NoAnswerError, TimeoutError } from "../../client/bounded-fetch.ts";
import { type Decoded, membersOf } from "../../client/decode.ts";
import { EventStreamError, FailedRequestError } from "../../client/index.ts";
import { PageProblem, type Problem } from "../page.ts";
import { problemTexts as texts } from "./texts.ts";

const MAX_DETAIL_LENGTH = 300;

function detailOf(answer: Decoded): string | undefined {
  if (typeof answer === "string") return answer.slice(0, MAX_DETAIL_LENGTH) || undefined;
  const { message, error, details } = membersOf(answer);
  const text = [message, error, details].find((member) => typeof member === "string");
  return text?.slice(0, MAX_DETAIL_LENGTH) || undefined;
}

function buildingTexts(answer: Decoded): Omit<Problem, "kind"> | undefined {
  const { index, height, of } = membersOf(answer);
  if (typeof index !== "string") return undefined;
  const hasProgress = typeof height === "number" && typeof of === "number";
  return texts.building(index.slice(0, 40), hasProgress ? texts.progress(height, of) : "");
}

function statusProblem({ status, answer }: FailedRequestError): Problem {
  const detail = detailOf(answer);
  if (status === 404 || status === 410) return { kind: "unknown", ...texts.unknown, detail };
  if (status === 400 || status === 414) return { kind: "malformed", ...texts.malformed, detail };
  if (status === 401 || status === 403) return { kind: "refused", ...texts.refused, detail };
  const building = status === 503 ? buildingTexts(answer) : undefined;
  if (building !== undefined) return { kind: "building", ...building, detail };
  if (status === 503 || status === 429) return { kind: "busy", ...texts.busy, detail };
  return { kind: "failed", ...texts.failed(status), detail };
}

export function problemOf(error: unknown): Problem {
  if (error instanceof PageProblem) return { kind: error.kind, message: error.message, advice: error.advice };
  if (error instanceof FailedRequestError) return statusProblem(error);
  if (error instanceof TimeoutError) return { kind: "timeout", ...texts.timeout };
  if (error instanceof NoAnswerError) return { kind: "unreachable", ...texts.unreachable };
  const detail = error instanceof Error ? error.message.slice(0, MAX_DETAIL_LENGTH) : undefined;
  const isInvalid = error instanceof InvalidAnswerError || error instanceof EventStreamError;
  if (isInvalid || error instanceof JsonError)
    return { kind: "invalid-answer", ...texts.invalidAnswer, detail };
  return { kind: "failed", ...texts.page, detail };
}

export const crossOriginProblem: Problem = { kind: "cross-origin", ...texts.crossOrigin };
