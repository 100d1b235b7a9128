import { DAY } from "../../../bytes/durations.ts";
import type { Client } from "../../../client/index.ts";
import { Plot } from "../../parts/charts/plot.tsx";
import { LOCALE } from "../../text/language.ts";
import { numberText, utcDay } from "../../text/text.ts";
import { overviewTexts } from "./texts.ts";

export interface Day {
  /** Start of the UTC day, ms since 1970. */
  readonly start: number;
  readonly counts: readonly number[];
}

const MAX_DAYS = 30;
const MIN_DAYS = 7;

const groups = ["all_transfers", "anchor", "association"] as const;

/**
 * Oldest day first.
 * @param today ms since 1970
 * @throws the client's errors
 */
export async function loadDays(client: Client, today: number): Promise<readonly Day[]> {
  const from = utcDay(today - (MAX_DAYS - 1) * DAY);
  const to = utcDay(today);
  const calls = ["all", ...groups].map((type) =>
    client.call("GET /stats/transactions/:type/:from/:to", { params: { type, from, to } }),
  );
  const [allTypes, ...byGroup] = await Promise.all(calls);
  const first = Date.parse(`${from}T00:00:00Z`);
  return allTypes.map(({ count }, i) => {
    const counts = byGroup.map((days) => days[i]?.count ?? 0);
    const others = count - counts.reduce((sum, groupCount) => sum + groupCount, 0);
    return { start: first + i * DAY, counts: [...counts, Math.max(0, others)] };
  });
}

/** The statistics count by UTC day. */
const dayName = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeZone: "UTC" });

/** Drops days before the first transaction, but keeps at least `MIN_DAYS`. */
export function trimEmptyDays(days: readonly Day[]): readonly Day[] {
  const first = days.findIndex(({ counts }) => counts.some((count) => count > 0));
  return days.slice(Math.min(first < 0 ? days.length : first, Math.max(0, days.length - MIN_DAYS)));
}

export function DaysPlot(props: { readonly days: readonly Day[] }) {
  const days = trimEmptyDays(props.days);
  const { days: texts } = overviewTexts;
  const labels = [...groups.map((group) => texts.groups[group]), texts.others];
  const series = labels
    .map((label, i) => ({ label, values: days.map(({ counts }) => counts[i] ?? 0), shape: "bars" as const }))
    .filter(({ values }) => values.some((value) => value > 0));
  if (series.length === 0) return <p class="quiet">{texts.empty(MAX_DAYS)}</p>;
  return (
    <Plot
      title={texts.plot}
      times={days.map(({ start }) => start)}
      series={series}
      format={(value) => numberText(value)}
      formatTime={(ms) => dayName.format(ms)}
      utc
    />
  );
}
