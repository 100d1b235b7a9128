import type { JSX } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { problemOf } from "../data/problems.ts";
import { pageLink } from "../links.ts";
import type { Problem } from "../page.ts";
import { Notice } from "../parts/notice.tsx";
import { fill } from "../text/fill.ts";
import { Header, type HeaderProps } from "./header.tsx";
import { headingOf, view } from "./open-page.ts";
import { shellTexts as texts } from "./texts.ts";

function ProblemView({ problem }: { readonly problem: Problem }): JSX.Element {
  const { kind, message, advice, detail } = problem;
  return (
    <article class="problem">
      <h1 tabIndex={-1}>{headingOf(problem)}</h1>
      <Notice kind={kind === "unknown" || kind === "malformed" ? "plain" : "wrong"}>
        <p>{message}</p>
        <p>{advice}</p>
        {detail !== undefined && <p class="quiet">{fill(texts.nodeSays, { detail: <bdi>{detail}</bdi> })}</p>}
      </Notice>
      <p>
        <a href={pageLink()}>{texts.toOverview}</a>
      </p>
    </article>
  );
}

function PageBoundary({ render }: { readonly render: () => JSX.Element }): JSX.Element {
  const [error] = useErrorBoundary((thrown) => console.error(thrown));
  return error === undefined ? render() : <ProblemView problem={problemOf(error)} />;
}

function Content(): JSX.Element {
  const shown = view.value;
  switch (shown.state) {
    case "loading":
      return (
        <p class="loading" role="status">
          {texts.loading}
        </p>
      );
    case "failed":
      return <ProblemView problem={shown.problem} />;
    case "open":
      return <PageBoundary key={shown.key} render={shown.page.render} />;
  }
}

export function StartFailure({ problem }: { readonly problem: Problem }): JSX.Element {
  return (
    <main id="content">
      <ProblemView problem={problem} />
    </main>
  );
}

export function Shell(props: HeaderProps): JSX.Element {
  return (
    <>
      <Header {...props} />
      <main id="content" tabIndex={-1} aria-busy={view.value.state === "loading"}>
        <Content />
      </main>
      <footer class="page-footer">
        <p>
          {fill(texts.source, { api: <a href={new URL("api-docs/", props.node.url).href}>{texts.api}</a> })}
        </p>
      </footer>
    </>
  );
}
