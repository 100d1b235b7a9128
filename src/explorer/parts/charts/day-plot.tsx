/** Plots of daily values. The URL contains the chosen number of days. */
import { useMemo } from "preact/hooks";
import { pageLink } from "../../links.ts";
import { partTexts as texts } from "../texts.ts";
import { Plot, type PlotProps, type Series } from "./plot.tsx";

/** Maximum of the node's routes. */
const ALL_DAYS = 4_000;
const DEFAULT_PERIOD = "90";

/** Returns a key of `texts.days`. */
export function chosenPeriod(query: URLSearchParams): string {
  const period = query.get("days") ?? DEFAULT_PERIOD;
  return Object.hasOwn(texts.days, period) ? period : DEFAULT_PERIOD;
}

export const dayCount = (period: string): number => (period === "all" ? ALL_DAYS : Number(period));

export function PeriodChoice(props: { readonly path: readonly string[]; readonly chosen: string }) {
  return (
    <nav class="choices" aria-label={texts.period}>
      <ul class="bare row">
        {Object.entries(texts.days).map(([days, label]) => (
          <li key={days}>
            <a
              href={pageLink(props.path, { days })}
              aria-current={days === props.chosen ? "page" : undefined}
            >
              {label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

export interface DayChart<Row> extends Pick<PlotProps, "title" | "name" | "unit"> {
  readonly shape: Series["shape"];
  readonly labels: Readonly<Record<string, string>>;
  /** Values by series name; series that are always zero are not drawn. */
  readonly values: Readonly<Record<string, (row: Row) => number | bigint>>;
}

export function DayPlot<Row extends { readonly day: string }>(props: {
  readonly chart: DayChart<Row>;
  readonly rows: readonly Row[];
  readonly chainHeight: number;
}) {
  const { chart, rows, chainHeight } = props;
  const { title, name, unit, shape, labels } = chart;
  const plotted = useMemo(() => {
    const series = Object.entries(chart.values).map(([name, get]) => ({
      name,
      label: labels[name],
      shape,
      values: rows.map(get),
    }));
    return {
      times: rows.map(({ day }) => Date.parse(`${day}T00:00:00Z`)),
      series: series.filter(({ values }) => values.some((value) => Number(value) !== 0)),
    };
  }, [rows, chart]);
  if (plotted.series.length === 0) return <p class="quiet">{texts.emptyDays}</p>;
  return <Plot title={title} name={name} unit={unit} chainHeight={chainHeight} {...plotted} utc />;
}
