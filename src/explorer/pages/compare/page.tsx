import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { nodeLocation } from "../../data/node-url.ts";
import { problemOf } from "../../data/problems.ts";
import { everyMinute, useQuery } from "../../data/use-query.ts";
import { blockLink } from "../../links.ts";
import type { Attempt, NodeApi, PageContext, PageDefinition, PageProps, Problem } from "../../page.ts";
import { Address, Id, Time } from "../../parts/inline.tsx";
import { idColumn, Table } from "../../parts/lists/table.tsx";
import { Attempted, Note, Panel, ProblemNotice } from "../../parts/panel.tsx";
import { TextForm } from "../../parts/text-form.tsx";
import { partTexts } from "../../parts/texts.ts";
import { TruncatedText } from "../../parts/truncated-text.tsx";
import { healthLabel } from "../../shell/header.tsx";
import { parseHealth } from "../../shell/health.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText } from "../../text/text.ts";
import { type Comparison, compareChains } from "./compare-chains.ts";
import { compareTexts as texts } from "./texts.ts";

const MAX_URL_LENGTH = 2_048;

/** @throws the client's errors */
async function loadSide(node: NodeApi) {
  const { client } = node;
  const [network, { height }, { version }, pool, health] = await Promise.all([
    node.loadNetwork(),
    client.call("GET /blocks/height"),
    client.call("GET /node/version"),
    client.call("GET /transactions/unconfirmed/size"),
    // Other implementations lack this route.
    client.call("GET /node/health").then(parseHealth, () => undefined),
  ]);
  return { network, height, version, pool: pool.size, health };
}

type Side = Awaited<ReturnType<typeof loadSide>>;

type Row = readonly [name: string, serving: ComponentChildren, other: ComponentChildren];

function PairTable({ caption, rows }: { readonly caption: string; readonly rows: readonly Row[] }) {
  return (
    <div class="compared">
      <Table
        caption={caption}
        columns={[
          idColumn<Row>(<span class="visually-hidden">{commonTexts.value}</span>, ([name]) => <b>{name}</b>),
          { head: commonTexts.thisNode, cell: ([, serving]: Row) => serving },
          { head: texts.other, cell: ([, , other]: Row) => other },
        ]}
        rows={rows}
        keyOf={([name]) => name}
      />
    </div>
  );
}

type Sides = readonly [Attempt<Side> | undefined, Attempt<Side> | undefined];

function SideTable({ sides, context }: { readonly sides: Sides; readonly context: PageContext }) {
  const row = (name: string, cell: (side: Side) => ComponentChildren): Row => {
    const [serving, other] = sides.map((side) =>
      side === undefined ? commonTexts.loading : side.ok ? cell(side.value) : commonTexts.unknown,
    );
    return [name, serving, other];
  };
  const { rows } = texts;
  return (
    <PairTable
      caption={texts.caption}
      rows={[
        [commonTexts.api, <bdi>{context.servingNode.url}</bdi>, <bdi>{context.node.url}</bdi>],
        row(rows.network, ({ network }) => (
          <bdi>{`${network.name} (${String.fromCharCode(network.chainId)})`}</bdi>
        )),
        row(commonTexts.height, ({ height }) => numberText(height)),
        row(rows.health, ({ health }) =>
          health === undefined ? commonTexts.unknown : <TruncatedText text={healthLabel(health).text} />,
        ),
        row(rows.pool, ({ pool }) => commonTexts.transactionCount(pool)),
        row(commonTexts.version, ({ version }) => <TruncatedText text={version} />),
      ]}
    />
  );
}

function ComparedChains(props: {
  readonly comparison: Comparison;
  readonly heights: readonly [number, number];
}) {
  const { comparison, heights } = props;
  if (comparison.kind === "other network") return <Note kind="wrong">{texts.otherNetwork}</Note>;
  const lead = heights[0] - heights[1];
  const lag = lead !== 0 && (
    <p>{texts.behind(lead > 0 ? texts.other : commonTexts.thisNode, Math.abs(lead))}</p>
  );
  if (comparison.kind === "same")
    return (
      <>
        <Note kind="right">{texts.same(comparison.upTo)}</Note>
        {lag}
      </>
    );
  const { headers } = comparison;
  const [{ height }] = headers;
  const row = (name: string, cell: (header: (typeof headers)[0]) => ComponentChildren): Row => [
    name,
    cell(headers[0]),
    cell(headers[1]),
  ];
  return (
    <>
      <Note kind="wrong">{texts.different(height)}</Note>
      {lag}
      <PairTable
        caption={texts.block}
        rows={[
          [
            commonTexts.block,
            // `target` reloads the page, which then reads the serving node.
            <a href={`block/${height}`} target="_self">
              {numberText(height)}
            </a>,
            <a href={blockLink(height)}>{numberText(height)}</a>,
          ],
          row(commonTexts.id, ({ signature }) => (
            <Id value={signature} noun={partTexts.nouns.blockId} noCopy />
          )),
          row(commonTexts.forger, ({ generator }) => <Address value={generator} noCopy />),
          row(commonTexts.time, ({ timestamp }) => <Time at={timestamp} />),
          row(commonTexts.transactions, ({ transactionCount }) => numberText(transactionCount)),
        ]}
      />
    </>
  );
}

function Chains({ context, sides }: { readonly context: PageContext; readonly sides: Sides }) {
  const [serving, other] = sides;
  if (serving?.ok !== true || other?.ok !== true) return null;
  return <ComparedHeights context={context} heights={[serving.value.height, other.value.height]} />;
}

function ComparedHeights(props: {
  readonly context: PageContext;
  readonly heights: readonly [number, number];
}) {
  const { context, heights } = props;
  const comparison = useQuery(
    context,
    "comparison",
    () => compareChains([context.servingNode.client, context.node.client], heights),
    { ...everyMinute(context), version: String(heights) },
  );
  return (
    <Panel title={texts.chains} stacked>
      <Attempted
        attempt={comparison}
        render={(compared) => <ComparedChains comparison={compared} heights={heights} />}
      />
    </Panel>
  );
}

function Compared({ context }: { readonly context: PageContext }) {
  const { node, servingNode } = context;
  const options = everyMinute(context);
  const other = useQuery(context, "compared node", () => loadSide(node), options);
  // Queries diagnose failures for the other node only.
  const servingLoad = useQuery(
    context,
    "serving node",
    () =>
      loadSide(servingNode).then(
        (value): Attempt<Side> => ({ ok: true, value }),
        (error): Attempt<Side> => ({ ok: false, problem: problemOf(error) }),
      ),
    options,
  );
  const serving = servingLoad?.ok === true ? servingLoad.value : servingLoad;
  const sides = [serving, other] as const;
  const problems = [serving, other].map((side) => (side?.ok === false ? side.problem : undefined));
  return (
    <>
      {problems.map(
        (problem, i) =>
          problem !== undefined && (
            <ProblemNotice
              key={i}
              problem={{
                ...problem,
                message: texts.problem([commonTexts.thisNode, texts.other][i], problem.message),
              }}
            />
          ),
      )}
      <Panel title={texts.caption}>
        <SideTable sides={sides} context={context} />
      </Panel>
      <Chains context={context} sides={sides} />
    </>
  );
}

function View({ context, query }: PageProps) {
  const { servesPage, url } = context.node;
  const problem = useSignal<Problem | undefined>(undefined);
  const compare = (text: string): void => {
    try {
      const { url: otherUrl } = nodeLocation(text, document.baseURI);
      // The page may contact only nodes that its URL names when it is loaded.
      window.location.assign(new URL(`compare?node=${encodeURIComponent(otherUrl)}`, document.baseURI));
    } catch (error) {
      problem.value = problemOf(error);
    }
  };
  return (
    <article>
      <h1>{texts.title}</h1>
      {servesPage && <p>{texts.about}</p>}
      <TextForm
        label={texts.form}
        button={texts.button}
        value={servesPage ? undefined : url}
        maxLength={MAX_URL_LENGTH}
        onSubmit={compare}
      />
      {problem.value !== undefined && <ProblemNotice problem={problem.value} />}
      {servesPage && query.get("node") && <Note kind="unsettled">{texts.sameNode}</Note>}
      {!servesPage && <Compared context={context} />}
    </article>
  );
}

export const comparePage: PageDefinition = { title: () => texts.title, worksWithoutNode: true, View };
