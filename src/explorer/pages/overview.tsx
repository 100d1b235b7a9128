import { afterKeyBlocks, useAnswer } from "../data/use-query.ts";
import { pageLink } from "../links.ts";
import type { PageContext, PageDefinition } from "../page.ts";
import { DayPlot } from "../parts/charts/day-plot.tsx";
import { BlockStrip } from "../parts/charts/strip.tsx";
import { Amount } from "../parts/inline.tsx";
import { FieldList } from "../parts/lists/table.tsx";
import { Attempted, AttemptedPanel, Note, Panel } from "../parts/panel.tsx";
import { commonTexts } from "../text/common-texts.ts";
import { durationText, percentText } from "../text/text.ts";
import { dayCharts, useDays } from "./overview/day-charts.ts";
import { ForgersRing } from "./overview/forgers-ring.tsx";
import { LiveTransactions } from "./overview/live-transactions.tsx";
import { NextFeePrice } from "./overview/next-fee-price.tsx";
import { overviewTexts as texts } from "./overview/texts.ts";

const MAX_FORGERS = 100;
const MAX_TRANSACTIONS = 30;
const CHART_DAYS = 30;
const DAYS_SKELETON_LINES = 13;

function SyncNotice({ context }: { readonly context: PageContext }) {
  const connection = context.live.connection.value;
  if (connection.state !== "behind") return null;
  const { height, targetHeight, secondsLeft } = connection.sync;
  const share = targetHeight === undefined || targetHeight === 0 ? undefined : height / targetHeight;
  return (
    <Note kind="unsettled">
      {texts.syncing(
        height,
        targetHeight,
        share === undefined ? undefined : percentText(Math.min(1, share)),
        secondsLeft === undefined ? undefined : durationText(1_000 * secondsLeft),
      )}
    </Note>
  );
}

function NewestBlocks({ context }: { readonly context: PageContext }) {
  const blocks = context.live.blocks.value;
  return (
    <section class="newest-blocks" aria-labelledby="blocks-heading">
      <h2 id="blocks-heading" class="visually-hidden">
        {texts.blocks.title}
      </h2>
      {blocks.length === 0 ? <p class="quiet">{texts.blocks.loading}</p> : <BlockStrip blocks={blocks} />}
      {blocks.length > 0 && blocks.every(({ height }) => height === 1) && (
        <Note kind="plain">{texts.blocks.onlyFirst}</Note>
      )}
    </section>
  );
}

function Days({ context }: { readonly context: PageContext }) {
  const days = useDays(context, CHART_DAYS);
  return (
    <Panel title={dayCharts.transactions.title}>
      <Attempted
        attempt={days}
        lines={DAYS_SKELETON_LINES}
        render={(rows) => (
          <DayPlot chart={dayCharts.transactions} rows={rows} chainHeight={rows.at(-1)?.height ?? 0} />
        )}
      />
      <p>
        <a href={pageLink(["charts"])}>{texts.days.link}</a>
      </p>
    </Panel>
  );
}

function Forgers({ context }: { readonly context: PageContext }) {
  const query = { limit: MAX_FORGERS };
  const forgers = useAnswer(context, afterKeyBlocks(context), "GET /generators", { query });
  return (
    <Panel title={texts.forgers.title}>
      <Attempted
        attempt={forgers}
        lines={8}
        render={(loaded) => <ForgersRing caption={texts.forgers.caption} forgers={loaded} />}
      />
      <p>
        <a href={pageLink(["forgers"])}>{texts.forgers.link}</a>
      </p>
    </Panel>
  );
}

function Leased(props: { readonly context: PageContext; readonly total: bigint }) {
  const { context, total } = props;
  const days = useDays(context, CHART_DAYS);
  if (days === undefined) return <span class="quiet">…</span>;
  const leased = days.ok ? days.value.at(-1)?.leased : undefined;
  if (leased === undefined) return <span class="quiet">{commonTexts.unknown}</span>;
  return (
    <>
      <Amount value={leased} />{" "}
      {total > 0n && <span class="quiet">({percentText(Number(leased) / Number(total))})</span>}
    </>
  );
}

function Supply({ context }: { readonly context: PageContext }) {
  const supply = useAnswer(context, afterKeyBlocks(context), "GET /supply");
  return (
    <AttemptedPanel
      title={texts.supply.title}
      attempt={supply}
      render={({ total, burned }) => (
        <dl class="figures">
          <div>
            <dt>{texts.supply.total}</dt>
            <dd>
              <Amount value={total} />
            </dd>
          </div>
          <div>
            <dt title={texts.supply.burnedHint}>{texts.supply.burned}</dt>
            <dd>
              <Amount value={burned} />
            </dd>
          </div>
          <div>
            <dt>{texts.supply.leased}</dt>
            <dd>
              <Leased context={context} total={total} />
            </dd>
          </div>
        </dl>
      )}
    />
  );
}

function Fees({ context }: { readonly context: PageContext }) {
  const fees = useAnswer(context, afterKeyBlocks(context), "GET /fees/status");
  return (
    <AttemptedPanel
      title={texts.fees.title}
      attempt={fees}
      lines={2}
      render={({ price, next }) => (
        <FieldList
          rows={[
            [commonTexts.feePrice, <Amount value={price} />],
            [texts.fees.next, <NextFeePrice next={next} />],
          ]}
        />
      )}
    />
  );
}

function Transactions({ context }: { readonly context: PageContext }) {
  const query = { limit: MAX_TRANSACTIONS };
  const newest = useAnswer(context, undefined, "GET /transactions/newest", { query });
  return <LiveTransactions live={context.live} older={newest?.ok === true ? newest.value : []} />;
}

export const overviewPage: PageDefinition = {
  title: () => texts.title,
  View: ({ context }) => (
    <>
      <h1 class="visually-hidden">{texts.title}</h1>
      <SyncNotice context={context} />
      <NewestBlocks context={context} />
      <div class="panels two-columns">
        <Transactions context={context} />
        <div class="stack">
          <Days context={context} />
          <Forgers context={context} />
          <Supply context={context} />
          <Fees context={context} />
        </div>
      </div>
    </>
  ),
};
