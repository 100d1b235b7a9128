import type { JSX } from "preact";
import type { Attempt } from "../page.ts";
import { commonTexts } from "../text/common-texts.ts";
import { ProblemNotice } from "./notice.tsx";

/** Reserves space for content that is being loaded. @param props.lines height in lines of text */
export function Skeleton({ lines = 3 }: { readonly lines?: number | undefined }): JSX.Element {
  return (
    <div class="skeleton">
      <span class="visually-hidden">{commonTexts.loading}</span>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class="line" />
      ))}
    </div>
  );
}

/** Shows the result of a query: a skeleton while it loads, then the value or the problem. */
export function Attempted<T>(props: {
  /** Undefined while it is being loaded. */
  readonly attempt: Attempt<T> | undefined;
  /** Height while it is being loaded, in lines of text. */
  readonly lines?: number | undefined;
  render(value: T): JSX.Element;
}): JSX.Element {
  const { attempt, lines, render } = props;
  if (attempt === undefined) return <Skeleton lines={lines} />;
  if (attempt.ok) return render(attempt.value);
  const { problem } = attempt;
  // Older nodes lack the route, and operators can disable it.
  if (problem.kind === "unknown") return <p class="quiet">{commonTexts.notAvailable}</p>;
  const isTemporary = problem.kind === "building" || problem.kind === "busy";
  return <ProblemNotice kind={isTemporary ? "unsettled" : "wrong"} problem={problem} />;
}
