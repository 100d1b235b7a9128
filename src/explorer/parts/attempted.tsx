import type { JSX } from "preact";
import type { Attempt } from "../data/attempt.ts";
import { commonTexts } from "../text/common-texts.ts";
import { ProblemNotice } from "./notice.tsx";

export function Attempted<T>(props: {
  readonly attempt: Attempt<T>;
  render(value: T): JSX.Element;
}): JSX.Element {
  const { attempt, render } = props;
  if (attempt.ok) return render(attempt.value);
  const { problem } = attempt;
  // Older nodes lack the route, and operators can disable it.
  if (problem.kind === "unknown") return <p class="quiet">{commonTexts.notAvailable}</p>;
  const isTemporary = problem.kind === "building" || problem.kind === "busy";
  return <ProblemNotice kind={isTemporary ? "unsettled" : "wrong"} problem={problem} />;
}
