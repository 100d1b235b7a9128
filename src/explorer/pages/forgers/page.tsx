import type { Answer } from "../../../client/index.ts";
import { afterKeyBlocks, useAnswer, useQuery } from "../../data/use-query.ts";
import type { Attempt, PageContext, PageDefinition, PageProps } from "../../page.ts";
import { Plot } from "../../parts/charts/plot.tsx";
import { Address, Age, Amount, Due } from "../../parts/inline.tsx";
import { type Column, numberColumn, Table } from "../../parts/lists/table.tsx";
import { Attempted, PageContent, Panel } from "../../parts/panel.tsx";
import { now } from "../../parts/time/now.ts";
import { Height } from "../../parts/value.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { ageText, durationText, numberText, percentText } from "../../text/text.ts";
import { useAddress } from "../address/use-address.ts";
import { ExportLinks } from "../lists/node-list.tsx";
import { ForgersRing } from "../overview/forgers-ring.tsx";
import { Earnings } from "./earnings.tsx";
import { ForgerView, type ForgerViewProps } from "./forger.tsx";
import { MissedBlocks } from "./missed-blocks.tsx";
import { forgersTexts as texts } from "./texts.ts";

type DueInfo = Answer<"GET /generators/due">;
type Forger = DueInfo["generators"][number];
type Header = Answer<"GET /blocks/headers/last">;

/** A node returns at most 100 headers per request. */
const PLOTTED_BLOCKS = 100;
const LISTED_BLOCKS = 30;
const MAX_FORGERS = 100;
const MAX_NEXT_FORGERS = 3;
const MIN_RELOAD_INTERVAL_MS = 10_000;

/** Newest first. @throws the client's errors */
export async function loadHeaders({ node: { client } }: PageContext): Promise<readonly Header[]> {
  const { height } = await client.call("GET /blocks/headers/last");
  const from = Math.max(1, height - PLOTTED_BLOCKS + 1);
  const headers = await client.call("GET /blocks/headers/seq/:from/:to", { params: { from, to: height } });
  return headers.toReversed();
}

function DueTime({ due }: { readonly due: bigint | null }) {
  return due === null ? <span class="quiet">{texts.next.ineligible}</span> : <Due at={due} />;
}

function NextBlocks({ due }: { readonly due: DueInfo }) {
  const next = due.generators.filter((forger) => forger.due !== null).slice(0, MAX_NEXT_FORGERS);
  if (next.length === 0) return <p>{texts.next.none}</p>;
  return (
    <>
      <p>{texts.next.candidates(due.height + 1)}</p>
      <ol class="next">
        {next.map((forger) => (
          <li key={forger.generator}>
            <Address value={forger.generator} noCopy /> <DueTime due={forger.due} />
          </li>
        ))}
      </ol>
      <p class="quiet">{texts.next.note}</p>
    </>
  );
}

function ratioText({ blockShare, stakeShare }: Forger): string {
  return stakeShare === 0 ? "–" : `${(blockShare / stakeShare).toFixed(2)}×`;
}

const columns: readonly Column<Forger>[] = [
  { head: commonTexts.forger, kind: "id", cell: ({ generator }) => <Address value={generator} /> },
  { head: texts.earnings.blocks, kind: "number", cell: ({ blocks }) => numberText(blocks) },
  { head: texts.shares.blockShare, kind: "number", cell: ({ blockShare }) => percentText(blockShare) },
  { head: texts.shares.stake, kind: "number", cell: ({ balance }) => <Amount value={balance} /> },
  { head: texts.shares.stakeShare, kind: "number", cell: ({ stakeShare }) => percentText(stakeShare) },
  { head: texts.shares.ratio, kind: "number", cell: ratioText },
  { head: texts.next.title, kind: "time", cell: ({ due }) => <DueTime due={due} /> },
];

function ForgerShares({ due, context }: { readonly due: DueInfo; readonly context: PageContext }) {
  const { window, generators } = due;
  const sorted = [...generators].sort((a, b) => b.blocks - a.blocks);
  if (sorted.length === 0)
    return (
      <Panel title={texts.next.title}>
        <p>{texts.next.noBlocks}</p>
      </Panel>
    );
  return (
    <>
      <div class="panels two-columns">
        <Panel title={texts.blocks.title(window)}>
          <ForgersRing caption={texts.shares.ringCaption} forgers={sorted} />
        </Panel>
        <Panel title={texts.next.title}>
          <NextBlocks due={due} />
        </Panel>
      </div>
      <Panel title={texts.shares.title}>
        <Table
          caption={texts.shares.caption(window)}
          columns={columns}
          rows={sorted}
          keyOf={({ generator }) => generator}
        />
        <ExportLinks context={context} path="generators" />
      </Panel>
    </>
  );
}

interface BlockInterval {
  readonly header: Header;
  /** Time since the parent block, ms; undefined if unknown. */
  readonly delay: number | undefined;
}

/** The oldest header gets no delay, because its parent is missing. @param headers newest first */
export function blockIntervals(headers: readonly Header[]): BlockInterval[] {
  return headers.map((header, i) => {
    const parent = headers[i + 1];
    // The time of the first block is arbitrary.
    const isMeasured = parent !== undefined && parent.height > 1;
    return { header, delay: isMeasured ? Number(header.timestamp - parent.timestamp) : undefined };
  });
}

const blockColumns: readonly Column<BlockInterval>[] = [
  { head: commonTexts.block, kind: "number", cell: ({ header }) => <Height height={header.height} /> },
  { head: commonTexts.forger, kind: "id", cell: ({ header }) => <Address value={header.generator} noCopy /> },
  { head: commonTexts.age, kind: "time", cell: ({ header }) => <Age at={header.timestamp} /> },
  numberColumn(texts.blocks.plot, ({ delay }) => (delay === undefined ? "–" : durationText(delay))),
  numberColumn(commonTexts.transactions, ({ header }) => numberText(header.transactionCount)),
  numberColumn(commonTexts.baseTarget, ({ header }) => numberText(header["nxt-consensus"]["base-target"])),
];

function NewestBlocks({ headers }: { readonly headers: readonly Header[] }) {
  const intervals = blockIntervals(headers);
  const measured = intervals
    .flatMap(({ header, delay }) => (delay === undefined ? [] : [{ time: Number(header.timestamp), delay }]))
    .reverse();
  const delays = measured.map(({ delay }) => delay);
  const average = delays.reduce((sum, delay) => sum + delay, 0) / delays.length;
  return (
    <Panel title={texts.blocks.title(headers.length)} stacked>
      {measured.length > 1 && (
        <>
          <p>{texts.blocks.times(durationText(average), durationText(Math.max(...delays)))}</p>
          <Plot
            title={texts.blocks.plot}
            name="block-times"
            times={measured.map(({ time }) => time)}
            series={[
              {
                name: "seconds",
                label: texts.blocks.series,
                values: delays.map((ms) => ms / 1_000),
                shape: "line",
              },
            ]}
            unit="seconds"
            chainHeight={headers[0]?.height ?? 0}
            formatTime={(ms) => ageText(ms, now.peek())}
          />
        </>
      )}
      <Table
        caption={texts.blocks.caption}
        columns={blockColumns}
        rows={intervals.slice(0, LISTED_BLOCKS)}
        keyOf={({ header }) => header.signature}
      />
    </Panel>
  );
}

function Forgers({
  context,
  due,
}: {
  readonly context: PageContext;
  readonly due: Attempt<DueInfo> | undefined;
}) {
  const options = afterKeyBlocks(context, MIN_RELOAD_INTERVAL_MS);
  const headers = useQuery(context, "newest headers", () => loadHeaders(context), options);
  return (
    <>
      <h1>{texts.title}</h1>
      <Attempted
        attempt={due}
        lines={24}
        render={(loaded) => <ForgerShares due={loaded} context={context} />}
      />
      {due?.ok === true && <Earnings context={context} due={due.value} />}
      <MissedBlocks context={context} />
      <Attempted attempt={headers} lines={24} render={(loaded) => <NewestBlocks headers={loaded} />} />
    </>
  );
}

function OneForger({ context, text, ...props }: Omit<ForgerViewProps, "forger"> & { readonly text: string }) {
  return (
    <PageContent
      context={context}
      heading={commonTexts.forger}
      attempt={useAddress(context, text)}
      render={(forger) => <ForgerView {...props} context={context} forger={forger} />}
    />
  );
}

function View({ context, params: { forger }, query }: PageProps) {
  const options = afterKeyBlocks(context, MIN_RELOAD_INTERVAL_MS);
  const due = useAnswer(context, options, "GET /generators/due", { query: { limit: MAX_FORGERS } });
  if (forger === undefined) return <Forgers context={context} due={due} />;
  const dueInfo = due?.ok === true ? due.value : undefined;
  return <OneForger context={context} text={forger} query={query} due={dueInfo} />;
}

export const forgersPage: PageDefinition = { title: () => texts.title, View };
