/** Earnings of forgers, and of a lease. */
import { type Signal, useSignal } from "@preact/signals";
import { DAY } from "../../../bytes/durations.ts";
import type { Answer } from "../../../client/index.ts";
import { afterKeyBlocks, TEN_MINUTES_MS, useAnswer } from "../../data/use-query.ts";
import type { PageContext } from "../../page.ts";
import { Amount, Forger } from "../../parts/inline.tsx";
import { type Column, numberColumn, Table } from "../../parts/lists/table.tsx";
import { AttemptedPanel } from "../../parts/panel.tsx";
import { AmountError, parseTokens } from "../../text/amounts.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { numberText, utcDay } from "../../text/text.ts";
import { ExportLinks } from "../lists/node-list.tsx";
import { useDays } from "../overview/day-charts.ts";
import { forgersTexts } from "./texts.ts";

type DueInfo = Answer<"GET /generators/due">;
type Earned = Answer<"GET /stats/generators/:from/:to">;

const { earnings: texts } = forgersTexts;

export const PERIOD_DAYS = 30;
const MAX_FORGERS = 100;
export const DEFAULT_LEASE = "1000";

interface EarningsRow {
  readonly generator: string;
  readonly blocks: number;
  /** Expected from the forger's present stake; undefined if unknown. */
  readonly expected: number | undefined;
  /** In 10⁻⁸ tokens. */
  readonly reward: bigint;
  readonly perDay: bigint;
  readonly estimate: bigint | undefined;
}

/**
 * What a lease would have earned, in 10⁻⁸ tokens; undefined if the stake is unknown or the lease is invalid.
 * @param lease in tokens
 */
export function leaseEstimate(reward: bigint, stake: bigint | undefined, lease: string): bigint | undefined {
  const amount = parseLease(lease);
  return stake === undefined || !amount ? undefined : (reward * amount) / (stake + amount);
}

/**
 * @param days of the chain in the period, at least 1
 * @param lease in tokens
 */
export function earningsRows(
  earned: Earned,
  forgers: DueInfo["generators"],
  days: number,
  lease: string,
): readonly EarningsRow[] {
  const stakes = new Map(forgers.map((forger) => [forger.generator, forger]));
  return earned.generators.map(({ generator, blocks, reward }) => {
    const stake = stakes.get(generator);
    return {
      generator,
      blocks,
      expected: stake && stake.stakeShare * earned.blocks,
      reward,
      perDay: reward / BigInt(days),
      estimate: leaseEstimate(reward, stake?.balance, lease),
    };
  });
}

export const AmountOrDash = ({ value }: { readonly value: bigint | undefined }) =>
  value === undefined ? <>–</> : <Amount value={value} />;

const columns: readonly Column<EarningsRow>[] = [
  { head: commonTexts.forger, kind: "id", cell: ({ generator }) => <Forger value={generator} noCopy /> },
  { head: texts.blocks, kind: "number", cell: ({ blocks }) => numberText(blocks) },
  numberColumn(texts.expected, ({ expected }) =>
    expected === undefined ? "–" : numberText(Math.round(expected)),
  ),
  { head: texts.reward, kind: "number", cell: ({ reward }) => <Amount value={reward} /> },
  numberColumn(texts.perDay, ({ perDay }) => <Amount value={perDay} />),
  numberColumn(texts.estimate, ({ estimate }) => <AmountOrDash value={estimate} />),
];

function parseLease(text: string): bigint | undefined {
  try {
    return parseTokens(text);
  } catch (error) {
    if (error instanceof AmountError) return undefined;
    throw error;
  }
}

/** @param props.lease in tokens */
export const LeaseField = ({ lease }: { readonly lease: Signal<string> }) => (
  <label>
    {texts.lease}{" "}
    <input
      inputMode="decimal"
      value={lease.value}
      maxLength={40}
      onInput={({ currentTarget }) => (lease.value = currentTarget.value)}
    />
  </label>
);

export function Earnings(props: { readonly context: PageContext; readonly due: DueInfo }) {
  const { context, due } = props;
  const lease = useSignal(DEFAULT_LEASE);
  const today = Number(due.timestamp);
  const params = { from: utcDay(today - (PERIOD_DAYS - 1) * DAY), to: utcDay(today) };
  const query = { limit: MAX_FORGERS };
  const options = afterKeyBlocks(context, TEN_MINUTES_MS);
  const earned = useAnswer(context, options, "GET /stats/generators/:from/:to", { params, query });
  const chainDays = useDays(context, PERIOD_DAYS);
  // A new chain has fewer days.
  const days = chainDays?.ok === true ? Math.max(1, chainDays.value.length) : PERIOD_DAYS;
  const title = texts.title(days);
  return (
    <AttemptedPanel
      title={title}
      attempt={earned}
      lines={12}
      render={(loaded) => (
        <>
          <p>
            <LeaseField lease={lease} />
          </p>
          <Table
            caption={title}
            columns={columns}
            rows={earningsRows(loaded, due.generators, days, lease.value)}
            keyOf={({ generator }) => generator}
            empty={texts.empty}
          />
          <p class="quiet">{texts.formula}</p>
          <ExportLinks context={context} path={`stats/generators/${params.from}/${params.to}`} />
        </>
      )}
    />
  );
}
