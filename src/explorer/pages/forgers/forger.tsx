import { useSignal } from "@preact/signals";
import { useMemo } from "preact/hooks";
import type { Answer } from "../../../client/index.ts";
import { afterKeyBlocks, TEN_MINUTES_MS, useAnswer } from "../../data/use-query.ts";
import type { PageContext } from "../../page.ts";
import {
  chosenPeriod,
  type DayChart,
  DayPlot,
  dayCount,
  PeriodChoice,
} from "../../parts/charts/day-plot.tsx";
import { Address, Amount } from "../../parts/inline.tsx";
import { FieldList } from "../../parts/lists/table.tsx";
import { AttemptedPanel, Panel } from "../../parts/panel.tsx";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText } from "../../text/text.ts";
import { Leases, useLeases } from "../address/balances.tsx";
import { entryColumns } from "../address/transactions.tsx";
import { NodeTable, useList } from "../lists/node-list.tsx";
import { AmountOrDash, DEFAULT_LEASE, LeaseField, leaseEstimate, PERIOD_DAYS } from "./earnings.tsx";
import { MissedBlocks } from "./missed-blocks.tsx";
import { forgersTexts } from "./texts.ts";

type Days = Answer<"GET /stats/generator/:address">;

const { forger: texts, earnings } = forgersTexts;

const labels = { earned: earnings.reward, blocks: earnings.blocks, expected: earnings.expected };

const earningsChart: DayChart<Days[number]> = {
  title: texts.earnings,
  name: "earnings",
  unit: "tokens",
  shape: "bars",
  labels,
  values: { earned: ({ reward }) => reward },
};

function Figures(props: {
  readonly days: Days;
  readonly height: number;
  /** Undefined if unknown. */
  readonly stake: Answer<"GET /generators/due">["generators"][number] | undefined;
}) {
  const { days, height, stake } = props;
  const { stakeShare = 0 } = stake ?? {};
  const lease = useSignal(DEFAULT_LEASE);
  const recentDays = days.slice(-PERIOD_DAYS);
  const recentReward = recentDays.reduce((sum, day) => sum + day.reward, 0n);
  const blocksChart = useMemo(
    (): DayChart<Days[number]> => ({
      title: texts.blocks,
      name: "forged-blocks",
      unit: "count",
      shape: "line",
      labels,
      values: {
        blocks: ({ blocks }) => blocks,
        expected: ({ allBlocks }) => Math.round(10 * allBlocks * stakeShare) / 10,
      },
    }),
    [stakeShare],
  );
  const reward = days.reduce((sum, day) => sum + day.reward, 0n);
  const expected = days.reduce((sum, { allBlocks }) => sum + allBlocks * stakeShare, 0);
  return (
    <div class="stack">
      <FieldList
        rows={[
          [earnings.reward, <Amount value={reward} />],
          [earnings.perDay, <Amount value={reward / BigInt(Math.max(1, days.length))} />],
          [earnings.blocks, numberText(days.reduce((sum, { blocks }) => sum + blocks, 0))],
          [earnings.expected, stake === undefined ? "–" : numberText(Math.round(expected))],
        ]}
      />
      <p>
        <LeaseField lease={lease} />
      </p>
      <p>
        {texts.estimate(recentDays.length)}{" "}
        <AmountOrDash value={leaseEstimate(recentReward, stake?.balance, lease.value)} />
      </p>
      {[earningsChart, blocksChart].map((chart) => (
        <section key={chart.name}>
          <h3>{chart.title}</h3>
          <DayPlot chart={chart} rows={days} chainHeight={height} />
        </section>
      ))}
      <p class="quiet">{earnings.formula}</p>
    </div>
  );
}

export interface ForgerViewProps {
  readonly context: PageContext;
  readonly forger: string;
  readonly query: URLSearchParams;
  /** Undefined until it is loaded. */
  readonly due: Answer<"GET /generators/due"> | undefined;
}

export function ForgerView(props: ForgerViewProps) {
  const { context, forger, due } = props;
  const period = chosenPeriod(props.query);
  const options = afterKeyBlocks(context, TEN_MINUTES_MS);
  const params = { address: forger };
  const days = useAnswer(context, options, "GET /stats/generator/:address", {
    params,
    query: { limit: dayCount(period) },
  });
  const leases = useLeases(context, options, forger);
  const query = { type: ["lease", "cancel-lease"] };
  const history = useList(context, options, "GET /addresses/transactions/:address", { params, query });
  const stake = due?.generators.find(({ generator }) => generator === forger);
  return (
    <article>
      <h1>{commonTexts.forger}</h1>
      <p class="lead">
        <Address value={forger} />
      </p>
      <PeriodChoice path={["forgers", forger]} chosen={period} />
      <AttemptedPanel
        title={texts.earned}
        attempt={days}
        lines={36}
        render={(loaded) => <Figures days={loaded} stake={stake} height={due?.height ?? 0} />}
      />
      <MissedBlocks context={context} forger={forger} />
      <AttemptedPanel
        title={texts.leases}
        attempt={leases}
        lines={4}
        render={(loaded) => <Leases address={forger} leases={loaded} balances={undefined} />}
      />
      <Panel title={texts.history}>
        <NodeTable
          list={history}
          lines={10}
          caption={texts.history}
          columns={entryColumns}
          keyOf={({ id }) => id}
          empty={texts.noHistory}
        />
      </Panel>
    </article>
  );
}
