/** A page whose content depends on one answer: its object can be missing, and the page fails without it. */
import type { ComponentChildren, JSX } from "preact";
import { pageLink } from "../links.ts";
import type { Attempt, PageContext, PageState, Problem } from "../page.ts";
import { commonTexts } from "../text/common-texts.ts";
import { fill } from "../text/fill.ts";
import { Skeleton } from "./attempted.tsx";
import { Notice } from "./notice.tsx";
import { partTexts as texts } from "./texts.ts";

export const headingOf = ({ kind }: Problem): string =>
  kind === "unknown" ? texts.problem.notFound : texts.problem.failed;

export function ProblemView({ problem }: { readonly problem: Problem }): JSX.Element {
  const { kind, message, advice, detail } = problem;
  return (
    <article class="problem">
      <h1 tabIndex={-1}>{headingOf(problem)}</h1>
      <Notice kind={kind === "unknown" || kind === "malformed" ? "plain" : "wrong"}>
        <p>{message}</p>
        <p>{advice}</p>
        {detail !== undefined && (
          <p class="quiet">{fill(texts.problem.nodeSays, { detail: <bdi>{detail}</bdi> })}</p>
        )}
      </Notice>
      <p>
        <a href={pageLink()}>{commonTexts.toOverview}</a>
      </p>
    </article>
  );
}

function report({ page }: PageContext, state: PageState): void {
  const { title, problem } = page.peek();
  if (title !== state.title || problem !== state.problem) page.value = state;
}

export function PageContent<T>(props: {
  readonly context: PageContext;
  /** Heading while the answer is being loaded. */
  readonly heading: ComponentChildren;
  readonly attempt: Attempt<T> | undefined;
  /** Title for the browser's tab. Default: the page's own. */
  titleOf?(value: T): string;
  render(value: T): JSX.Element;
}): JSX.Element {
  const { context, heading, attempt, titleOf, render } = props;
  if (attempt === undefined)
    return (
      <article>
        <h1>{heading}</h1>
        <Skeleton lines={16} />
      </article>
    );
  if (!attempt.ok) {
    report(context, { problem: attempt.problem });
    return <ProblemView problem={attempt.problem} />;
  }
  report(context, { title: titleOf?.(attempt.value) });
  return render(attempt.value);
}
