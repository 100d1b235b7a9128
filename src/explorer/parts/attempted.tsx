import type { JSX } from "preact";
import type { Attempt } from "../data/attempt.ts";
import { commonTexts } from "../text/common-texts.ts";
import { ProblemNotice } from "./notice.tsx";

export function Attempted<T>(props: { readonly of: Attempt<T>; draw(value: T): JSX.Element }): JSX.Element {
  const { of, draw } = props;
  if (of.ok) return draw(of.value);
  const { problem } = of;
  // A missing answer is normal: older nodes lack the route, or the operator disabled it.
  if (problem.kind === "unknown") return <p class="quiet">{commonTexts.notAvailable}</p>;
  const isTemporary = problem.kind === "building" || problem.kind === "busy";
  return <ProblemNotice kind={isTemporary ? "unsettled" : "wrong"} problem={problem} />;
}
