import { useSignalEffect } from "@preact/signals";
import type { Answer } from "../../../client/index.ts";
import { afterKeyBlocks, useAnswer } from "../../data/use-query.ts";
import { pageLink } from "../../links.ts";
import type { PageContext, PageDefinition, PageProps } from "../../page.ts";
import { BlockId, Time } from "../../parts/inline.tsx";
import { idColumn, numberColumn, Table, timeColumn } from "../../parts/lists/table.tsx";
import { Attempted, AttemptedPanel } from "../../parts/panel.tsx";
import { Height } from "../../parts/value.tsx";
import { markSeen } from "../../shell/noticed-reorganisations.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { fill, numberText } from "../../text/text.ts";
import { nodeTexts } from "./texts.ts";

type Reorganisations = Answer<"GET /node/reorganisations">;
type Reorganisation = Reorganisations["reorganisations"][number];

const { reorganisations: texts } = nodeTexts;

/** @param props.tip id of the newest of these blocks */
function Blocks(props: { readonly count: number; readonly ids: readonly string[]; readonly tip: string }) {
  const { count, ids, tip } = props;
  if (count === 0) return <span class="quiet">{texts.rollback}</span>;
  return (
    <>
      <BlockId value={tip} noCopy />
      {count > 1 && (
        <details>
          <summary>{commonTexts.blockCount(count)}</summary>
          <ol class="bare">
            {ids.map((id) => (
              <li key={id}>
                <BlockId value={id} noCopy />
              </li>
            ))}
          </ol>
          {count > ids.length && <p class="quiet">{texts.unlisted(count - ids.length)}</p>}
        </details>
      )}
    </>
  );
}

const columns = [
  timeColumn<Reorganisation>(commonTexts.time, ({ timestamp }) => <Time at={timestamp} />),
  numberColumn<Reorganisation>(texts.commonBlock, ({ commonHeight }) => <Height height={commonHeight} />),
  idColumn<Reorganisation>(texts.oldTip, ({ revertedCount, reverted, oldTip }) => (
    <Blocks count={revertedCount} ids={reverted} tip={oldTip} />
  )),
  numberColumn<Reorganisation>(texts.transactions, (row) => numberText(row.revertedTransactions)),
  idColumn<Reorganisation>(texts.newTip, ({ committedCount, committed, newTip }) => (
    <Blocks count={committedCount} ids={committed} tip={newTip} />
  )),
];

function ReorganisationsTable(props: {
  readonly rows: readonly Reorganisation[];
  readonly columnCount?: number;
}) {
  const { rows, columnCount = columns.length } = props;
  return (
    <Table
      caption={texts.title}
      rows={rows}
      columns={columns.slice(0, columnCount)}
      keyOf={({ timestamp, commonHeight }, i) => `${timestamp} ${commonHeight} ${i}`}
      empty={texts.none}
    />
  );
}

const useReorganisations = (context: PageContext) =>
  useAnswer(context, afterKeyBlocks(context), "GET /node/reorganisations");

const PANEL_ROWS = 5;
const PANEL_COLUMNS = 3;

export function ReorganisationsPanel({ context }: { readonly context: PageContext }) {
  return (
    <AttemptedPanel
      title={texts.title}
      attempt={useReorganisations(context)}
      render={({ since, count, reorganisations }) => (
        <>
          <p class="quiet">{fill(texts.sinceStart(count), { time: <Time at={since} /> })}</p>
          <ReorganisationsTable rows={reorganisations.slice(0, PANEL_ROWS)} columnCount={PANEL_COLUMNS} />
          <p>
            <a href={pageLink(["reorganisations"])}>{texts.all}</a>
          </p>
        </>
      )}
    />
  );
}

function View({ context }: PageProps) {
  useSignalEffect(markSeen);
  return (
    <article>
      <h1>{texts.title}</h1>
      <p class="quiet">{texts.about}</p>
      <section class="panel">
        <Attempted
          attempt={useReorganisations(context)}
          lines={20}
          render={({ reorganisations }) => <ReorganisationsTable rows={reorganisations} />}
        />
      </section>
    </article>
  );
}

export const reorganisationsPage: PageDefinition = { title: () => texts.title, View };
