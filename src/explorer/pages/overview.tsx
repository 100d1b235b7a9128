import { useComputed } from "@preact/signals";
import { DAY } from "../../bytes/durations.ts";
import type { Client } from "../../client/index.ts";
import { afterKeyBlocks, TEN_MINUTES_MS, useAnswer, useQuery } from "../data/use-query.ts";
import { pageLink } from "../links.ts";
import type { PageContext, PageDefinition } from "../page.ts";
import { BlockStrip } from "../parts/charts/strip.tsx";
import { Amount } from "../parts/inline.tsx";
import { FieldList } from "../parts/lists/table.tsx";
import { Attempted, AttemptedPanel, Note, Panel, Skeleton } from "../parts/panel.tsx";
import { Height } from "../parts/value.tsx";
import { durationText, fill, percentText, utcDay } from "../text/text.ts";
import { commonTexts } from "../text/texts.ts";
import { DaysPlot, loadDays } from "./overview/days.tsx";
import { ForgersRing } from "./overview/forgers-ring.tsx";
import { LiveTransactions } from "./overview/live-transactions.tsx";
import { overviewTexts as texts } from "./overview/texts.ts";

const MAX_FORGERS = 100;
const MAX_TRANSACTIONS = 30;

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

/** Start of the newest block's day, ms since 1970. */
function useToday({ live }: PageContext): number | undefined {
  const today = useComputed(() => {
    const tip = live.tip.value;
    return tip === undefined ? undefined : Math.floor(Number(tip.timestamp) / DAY) * DAY;
  });
  return today.value;
}

function Days({ context }: { readonly context: PageContext }) {
  const { client } = context.node;
  const today = useToday(context);
  return (
    <Panel title={texts.days.title}>
      {today === undefined ? (
        <Skeleton lines={DAYS_LINES} />
      ) : (
        <LoadedDays context={context} load={() => loadDays(client, today)} today={today} />
      )}
    </Panel>
  );
}

const DAYS_LINES = 10;

function LoadedDays(props: {
  readonly context: PageContext;
  readonly today: number;
  load(): ReturnType<typeof loadDays>;
}) {
  const { context, today, load } = props;
  const days = useQuery(context, `days ${today}`, load, afterKeyBlocks(context, TEN_MINUTES_MS));
  return <Attempted attempt={days} lines={DAYS_LINES} render={(loaded) => <DaysPlot days={loaded} />} />;
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

/** Leased on the newest day in the statistics, 10⁻⁸ tokens. */
async function loadLeased(client: Client, today: number): Promise<bigint | undefined> {
  const params = { from: utcDay(today - DAY), to: utcDay(today) };
  const days = await client.call("GET /stats/supply/:from/:to", { params });
  return days.at(-1)?.leased;
}

function Leased(props: { readonly context: PageContext; readonly today: number; readonly total: bigint }) {
  const { context, today, total } = props;
  const load = () => loadLeased(context.node.client, today);
  const leased = useQuery(context, `leased ${today}`, load, afterKeyBlocks(context, TEN_MINUTES_MS));
  if (leased === undefined) return <span class="quiet">…</span>;
  if (!leased.ok || leased.value === undefined) return <span class="quiet">{commonTexts.unknown}</span>;
  return (
    <>
      <Amount value={leased.value} />{" "}
      {total > 0n && <span class="quiet">({percentText(Number(leased.value) / Number(total))})</span>}
    </>
  );
}

function Supply({ context }: { readonly context: PageContext }) {
  const today = useToday(context);
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
            <dd>{today === undefined ? "…" : <Leased context={context} today={today} total={total} />}</dd>
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
            [
              texts.fees.next,
              fill(texts.fees.nextPrice(commonTexts.feeVotes[next.status]), {
                price: <Amount value={next.price} />,
                height: <Height height={next.activationHeight} />,
              }),
            ],
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
  path: "",
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
