import { useComputed } from "@preact/signals";
import type { JSX } from "preact";
import { useErrorBoundary } from "preact/hooks";
import { problemOf } from "../data/problems.ts";
import type { PageContext, Problem } from "../page.ts";
import { ProblemView } from "../parts/panel.tsx";
import { commonTexts } from "../text/common-texts.ts";
import { fill } from "../text/text.ts";
import { Header } from "./header.tsx";
import { view } from "./open-page.ts";
import { ReorganisationNotice } from "./reorganisation-notice.tsx";
import { shellTexts as texts } from "./texts.ts";

function PageBoundary({ render }: { readonly render: () => JSX.Element }) {
  const [error] = useErrorBoundary((thrown) => console.error(thrown));
  return error === undefined ? render() : <ProblemView problem={problemOf(error)} />;
}

/** Returns the problem if the node has never sent a usable answer. */
function unusableNode({ live }: PageContext): Problem | undefined {
  const connection = live.connection.value;
  if (connection.state !== "lost" || live.tip.value !== undefined) return undefined;
  const { problem } = connection;
  return UNUSABLE.has(problem.kind) ? problem : undefined;
}

const UNUSABLE: ReadonlySet<Problem["kind"]> = new Set(["unreachable", "cross-origin", "invalid-answer"]);

function Content({ context }: { readonly context: PageContext }) {
  const shown = view.value;
  // Computed, so that other changes of the connection do not render the page again.
  const problem = useComputed(() => unusableNode(context)).value;
  const worksWithoutNode = shown.state === "open" && shown.page.worksWithoutNode === true;
  if (problem !== undefined && !worksWithoutNode) return <ProblemView problem={problem} />;
  switch (shown.state) {
    case "loading":
      return (
        <p class="loading" role="status">
          {commonTexts.loading}
        </p>
      );
    case "failed":
      return <ProblemView problem={shown.problem} />;
    case "open": {
      const { View } = shown.page;
      const { params, query } = shown;
      return (
        <PageBoundary
          key={shown.key}
          render={() => <View params={params} query={query} context={context} />}
        />
      );
    }
  }
}

export function StartFailure({ problem }: { readonly problem: Problem }) {
  return (
    <main id="content">
      <ProblemView problem={problem} />
    </main>
  );
}

function Main({ context }: { readonly context: PageContext }) {
  const isBusy = view.value.state === "loading" || context.queries.isLoading.value;
  return (
    <main id="content" tabIndex={-1} aria-busy={isBusy}>
      <ReorganisationNotice live={context.live} />
      <Content context={context} />
    </main>
  );
}

export function Shell({ context }: { readonly context: PageContext }) {
  return (
    <>
      <Header context={context} />
      <Main context={context} />
      <footer class="page-footer">
        <p>
          {fill(texts.source, {
            api: <a href={new URL("api-docs/", context.node.url).href}>{texts.api}</a>,
          })}
        </p>
      </footer>
    </>
  );
}
