/** Shows time series as a plot with a legend, as a table, and as a CSV file. */

import { type Signal, useSignal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { DAY } from "../../../bytes/durations.ts";
import { tokenText } from "../../../bytes/tokens.ts";
import { colourVersion } from "../../shell/theme.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { LOCALE } from "../../text/language.ts";
import { amountText, durationText, numberText } from "../../text/text.ts";
import { Details } from "../details.tsx";
import { tokenSymbol } from "../inline.tsx";
import { numberColumn, Table, timeColumn } from "../lists/table.tsx";
import { partTexts as texts } from "../texts.ts";
import { toneOf } from "./tone.ts";

type Value = number | bigint;

export interface Series {
  /** Column name in the CSV file. */
  readonly name: string;
  readonly label: string;
  readonly values: readonly (Value | null)[];
  /** `bars` are stacked on the bars of the previous series; `steps` stay level until the next value. */
  readonly shape: "line" | "steps" | "bars";
}

interface PlotData {
  /** In ms since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
}

export interface PlotProps extends PlotData {
  readonly title: string;
  /** Prefix of the CSV file's name. */
  readonly name: string;
  /** `tokens`: values are in 10⁻⁸ tokens. */
  readonly unit: keyof typeof units;
  /** Height of the chain at which the data was read, for the file name. */
  readonly chainHeight: number;
  formatTime?(ms: number): string;
  /** True for UTC days; by default, local times. */
  readonly utc?: boolean | undefined;
  onSelect?(index: number): void;
}

const tokenUnits = (value: Value): bigint => (typeof value === "bigint" ? value : BigInt(Math.round(value)));

/** `format` is for display; `plain` is for files and does not depend on the language. */
const units = {
  count: { format: (value: Value) => numberText(value), plain: String },
  tokens: {
    format: (value: Value) => amountText(tokenUnits(value)),
    plain: (value: Value) => tokenText(tokenUnits(value)).replaceAll(",", ""),
  },
  seconds: { format: (value: Value) => durationText(1_000 * Number(value)), plain: String },
};

const HEIGHT_PX = 200;
const MIN_AXIS_PX = 64;
const CHARACTER_PX = 6.5;
/** Possible intervals between ticks, in UTC days. */
const DAY_STEPS = [1, 2, 7, 14, 28, 91, 182, 365, 730];
const utcDay = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium", timeZone: "UTC" });
/** Points that PageUp and PageDown skip. */
const KEY_PAGE = 10;

function axisTimeFormatter(utc: boolean): (times: readonly number[], stepMs: number) => string[] {
  const zone = utc ? { timeZone: "UTC" } : {};
  const days = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", ...zone });
  const months = new Intl.DateTimeFormat(LOCALE, { month: "short", year: "numeric", ...zone });
  const minutes = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", ...zone });
  const seconds = new Intl.DateTimeFormat(LOCALE, { timeStyle: "medium", ...zone });
  return (times, stepMs) => {
    const format = stepMs >= 28 * DAY ? months : stepMs >= DAY ? days : stepMs >= 60_000 ? minutes : seconds;
    return times.map((ms) => format.format(ms));
  };
}

function timeRange({ times, series }: PlotData): [from: number, to: number] {
  const from = times[0] ?? 0;
  const to = times.at(-1) ?? 0;
  const hasBars = series.some(({ shape }) => shape === "bars");
  const step = times.length > 1 ? (to - from) / (times.length - 1) : DAY;
  const margin = hasBars || from === to ? step / 2 : 0;
  return [from - margin, to + margin];
}

/** @param colour of CSS, such as `var(--quiet)` */
function colourOf(element: Element, colour: string): string {
  const probe = document.createElement("span");
  probe.style.color = colour;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Distinguish lines without colour. */
const DASHES = [[], [8, 4], [2, 3]];

function optionsOf(
  UPlot: typeof uPlot,
  element: HTMLElement,
  props: PlotProps,
  selected: Signal<number | undefined>,
): uPlot.Options {
  const { series, utc = false } = props;
  const { format } = units[props.unit];
  const formatTimes = axisTimeFormatter(utc);
  const quiet = colourOf(element, "var(--quiet)");
  const line = colourOf(element, "var(--line)");
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: quiet, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const { bars, stepped } = UPlot.paths;
  const builders = { bars: bars?.({ size: [0.7, 40] }), steps: stepped?.({ align: 1 }), line: undefined };
  return {
    width: element.clientWidth,
    height: HEIGHT_PX,
    ms: 1,
    legend: { show: false },
    hooks: { setCursor: [({ cursor: { idx } }) => (selected.value = idx ?? undefined)] },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    ...(utc ? { tzDate: (ms) => UPlot.tzDate(new Date(ms), "Etc/UTC") } : {}),
    scales: {
      x: { range: () => timeRange(props) },
      ...(series.some(({ shape }) => shape === "bars")
        ? { y: { range: (_plot: uPlot, _low: number, high: number): [number, number] => [0, 1.05 * high] } }
        : {}),
    },
    axes: [
      {
        ...axis,
        space: 80,
        ...(utc ? { incrs: DAY_STEPS.map((days) => days * DAY) } : {}),
        values: (_plot, times, _axis, _space, stepMs) => formatTimes(times, stepMs),
      },
      {
        ...axis,
        size: (_plot, labels) =>
          Math.max(MIN_AXIS_PX, ...(labels ?? []).map((label) => 16 + CHARACTER_PX * label.length)),
        values: (_plot, values) => values.map((value) => format(value)),
      },
    ],
    series: [
      {},
      // Draw higher bars first: lower bars cover them.
      ...series.toReversed().map(({ shape }, reverseIndex): uPlot.Series => {
        const i = series.length - 1 - reverseIndex;
        const colour = colourOf(element, toneOf(i));
        const paths = builders[shape];
        return {
          stroke: colour,
          width: shape === "bars" ? 0 : 1.5,
          ...(shape === "bars" ? { fill: colour } : { dash: DASHES[i % DASHES.length] }),
          ...(paths === undefined ? {} : { paths }),
          points: { show: shape !== "bars" && props.times.length < 100 },
        };
      }),
    ],
  };
}

export function stackedValues(series: readonly Series[]): (number | null)[][] {
  let below: readonly number[] = [];
  return series.map(({ values, shape }) => {
    if (shape !== "bars") return values.map((value) => (value === null ? null : Number(value)));
    const ends = values.map((value, i) => Number(value ?? 0) + (below[i] ?? 0));
    below = ends;
    return ends;
  });
}

const dataOf = ({ times, series }: PlotData): uPlot.AlignedData => [
  [...times],
  ...stackedValues(series).toReversed(),
];

function usePlot(props: PlotProps, selected: Signal<number | undefined>) {
  const element = useRef<HTMLDivElement>(null);
  /** Selects a point, as the pointer does. */
  const select = useRef<(index: number) => void>(undefined);
  const colours = colourVersion.value;
  const { times, series } = props;
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    let plot: uPlot | undefined;
    let isDisposed = false;
    const observer = new ResizeObserver(() =>
      plot?.setSize({ width: current.clientWidth, height: HEIGHT_PX }),
    );
    const drawPlot = async (): Promise<void> => {
      const { default: UPlot } = await import("uplot");
      if (isDisposed) return;
      const drawn = new UPlot(optionsOf(UPlot, current, props, selected), dataOf(props), current);
      plot = drawn;
      drawn.over.addEventListener("click", () => {
        if (typeof drawn.cursor.idx === "number") props.onSelect?.(drawn.cursor.idx);
      });
      select.current = (index) =>
        drawn.setCursor({ left: drawn.valToPos(times[index], "x"), top: HEIGHT_PX / 2 });
      observer.observe(current);
    };
    void drawPlot();
    return () => {
      isDisposed = true;
      observer.disconnect();
      plot?.destroy();
    };
  }, [times, series, colours]);
  return { element, select };
}

/** Returns exactly the plotted values. */
export function csvOf({
  times,
  series,
  unit,
  utc,
}: Pick<PlotProps, "times" | "series" | "unit" | "utc">): string {
  const { plain } = units[unit];
  const rows = times.map((ms, i) => {
    const time = new Date(ms).toISOString();
    const cells = series.map(({ values }) => {
      const value = values[i] ?? null;
      return value === null ? "" : plain(value);
    });
    return [utc === true ? time.slice(0, 10) : time, ...cells];
  });
  const head = ["time", ...series.map(({ name }) => name)];
  return [head, ...rows].map((row) => `${row.join(",")}\n`).join("");
}

function saveCsv(props: PlotProps): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([csvOf(props)], { type: "text/csv" }));
  link.download = `${props.name}-at-${props.chainHeight}.csv`;
  link.click();
  URL.revokeObjectURL(link.href);
}

function DataTable(props: PlotProps & { readonly textAt: (values: Series["values"], i: number) => string }) {
  const { title, times, series, formatTime, textAt } = props;
  return (
    <Table
      caption={title}
      rows={times.map((_, i) => i)}
      keyOf={(i) => i}
      columns={[
        timeColumn<number>(commonTexts.time, (i) => formatTime?.(times[i])),
        ...series.map(({ label, values }) => numberColumn<number>(label, (i) => textAt(values, i))),
      ]}
    />
  );
}

export function Plot(props: PlotProps) {
  const { title, times, series, formatTime = (ms) => utcDay.format(ms), onSelect } = props;
  const selected = useSignal<number | undefined>(undefined);
  const { element, select } = usePlot(props, selected);
  const last = times.length - 1;
  const index = Math.min(selected.value ?? last, last);
  const textAt = (values: Series["values"], i: number): string => {
    const value = values[i] ?? null;
    return value === null ? "–" : units[props.unit].format(value);
  };
  const summary = series.map(({ label, values }) => `${label} ${textAt(values, index)}`).join(", ");
  const keys: Readonly<Record<string, number>> = {
    ArrowLeft: index - 1,
    ArrowRight: index + 1,
    PageUp: index - KEY_PAGE,
    PageDown: index + KEY_PAGE,
    Home: 0,
    End: last,
  };
  const pressKey = (event: KeyboardEvent): void => {
    const target = keys[event.key];
    if (event.key === "Enter") onSelect?.(index);
    else if (target === undefined) return;
    else select.current?.(Math.min(Math.max(target, 0), last));
    event.preventDefault();
  };
  return (
    <figure class="plot">
      <figcaption class="visually-hidden">{title}</figcaption>
      <div class="legend">
        <span class="quiet">
          {formatTime(times[index])}
          {props.unit === "tokens" && tokenSymbol.value !== undefined && ` · ${tokenSymbol.value}`}
        </span>
        {series.map(({ label, values }, i) => (
          <span key={label} class="entry">
            <span class="swatch" style={{ color: toneOf(i) }} aria-hidden="true" />
            <span>{label}</span>
            <span class="number">{textAt(values, index)}</span>
          </span>
        ))}
      </div>
      <div
        class="drawn"
        ref={element}
        role="slider"
        tabIndex={0}
        aria-label={title}
        aria-valuemin={0}
        aria-valuemax={last}
        aria-valuenow={index}
        aria-valuetext={`${formatTime(times[index])}: ${summary}`}
        onKeyDown={pressKey}
      />
      <button type="button" class="small plain" onClick={() => saveCsv(props)}>
        {texts.saveCsv}
      </button>
      <Details summary={texts.asTable}>
        {() => <DataTable {...props} formatTime={formatTime} textAt={textAt} />}
      </Details>
    </figure>
  );
}
