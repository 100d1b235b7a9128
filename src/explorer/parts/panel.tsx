import type { ComponentChildren, JSX } from "preact";
import { pageLink } from "../links.ts";
import type { Attempt, PageContext, PageState, Problem } from "../page.ts";
import { commonTexts } from "../text/common-texts.ts";
import { fill } from "../text/text.ts";
import { Icon } from "./icon.tsx";
import { partTexts as texts } from "./texts.ts";

/** @param props.stacked adds space between the children */
export function Panel(props: {
  readonly title: ComponentChildren;
  readonly stacked?: boolean | undefined;
  readonly children: ComponentChildren;
}) {
  return (
    <section class={props.stacked === true ? "panel stack" : "panel"}>
      <h2>{props.title}</h2>
      {props.children}
    </section>
  );
}

export function AttemptedPanel<T>(props: {
  readonly title: string;
  readonly attempt: Attempt<T> | undefined;
  readonly lines?: number | undefined;
  render(value: T): JSX.Element | null;
}) {
  return (
    <Panel title={props.title}>
      <Attempted attempt={props.attempt} lines={props.lines} render={props.render} />
    </Panel>
  );
}

interface NoticeProps {
  readonly kind: "plain" | "right" | "unsettled" | "wrong";
  readonly children: ComponentChildren;
}

export function Notice(props: NoticeProps) {
  const icons = { plain: undefined, right: "check", unsettled: "wait", wrong: "cross" } as const;
  const name = icons[props.kind];
  return (
    <div class={`notice ${props.kind}`}>
      {name !== undefined && <Icon name={name} />}
      <div>{props.children}</div>
    </div>
  );
}

export const Note = ({ kind, children }: NoticeProps) => (
  <Notice kind={kind}>
    <p>{children}</p>
  </Notice>
);

export const ProblemNotice = (props: {
  readonly kind?: NoticeProps["kind"];
  readonly problem: { readonly message: string; readonly advice: string };
}) => (
  <Notice kind={props.kind ?? "wrong"}>
    <p>{props.problem.message}</p>
    <p class="quiet">{props.problem.advice}</p>
  </Notice>
);

/** Reserves space during loading. @param props.lines height in lines of text */
function Skeleton({ lines = 3 }: { readonly lines?: number | undefined }) {
  return (
    <div class="skeleton">
      <span class="visually-hidden">{commonTexts.loading}</span>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} class="line" />
      ))}
    </div>
  );
}

export function Attempted<T>(props: {
  /** Undefined while it is being loaded. */
  readonly attempt: Attempt<T> | undefined;
  /** Height while it is being loaded, in lines of text. */
  readonly lines?: number | undefined;
  render(value: T): JSX.Element | null;
}) {
  const { attempt, lines, render } = props;
  if (attempt === undefined) return <Skeleton lines={lines} />;
  if (attempt.ok) return render(attempt.value);
  const { problem } = attempt;
  // Older nodes lack the route, and operators can disable it.
  if (problem.kind === "unknown") return <p class="quiet">{commonTexts.notAvailable}</p>;
  const isTemporary = problem.kind === "building" || problem.kind === "busy";
  return <ProblemNotice kind={isTemporary ? "unsettled" : "wrong"} problem={problem} />;
}

export const headingOf = ({ kind }: Problem): string =>
  kind === "unknown" ? texts.problem.notFound : texts.problem.failed;

export function ProblemView({ problem }: { readonly problem: Problem }) {
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

function reportState({ page }: PageContext, state: PageState): void {
  const { title, problem } = page.peek();
  if (title !== state.title || problem !== state.problem) page.value = state;
}

export function PageContent<T>(props: {
  readonly context: PageContext;
  /** Shown during loading. */
  readonly heading: ComponentChildren;
  readonly attempt: Attempt<T> | undefined;
  /** Title of the browser tab. Default: the page's title. */
  titleOf?(value: T): string;
  render(value: T): JSX.Element | null;
}) {
  const { context, heading, attempt, titleOf, render } = props;
  if (attempt === undefined)
    return (
      <article>
        <h1>{heading}</h1>
        <Skeleton lines={16} />
      </article>
    );
  if (!attempt.ok) {
    reportState(context, { problem: attempt.problem });
    return <ProblemView problem={attempt.problem} />;
  }
  reportState(context, { title: titleOf?.(attempt.value) });
  return render(attempt.value);
}
