/** Shows time series as a table and a plot. */

import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { DAY } from "../../../bytes/durations.ts";
import { colourVersion } from "../../shell/theme.ts";
import { LOCALE } from "../../text/language.ts";
import { commonTexts } from "../../text/texts.ts";
import { Table } from "../lists/table.tsx";
import { partTexts as texts } from "../texts.ts";

interface Series {
  readonly label: string;
  readonly values: readonly (number | bigint | null)[];
  /** `bars` are stacked on the bars of the previous series; `steps` stay level until the next value. */
  readonly shape: "line" | "steps" | "bars";
}

interface PlotData {
  /** In ms since 1970, ascending. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
}

interface PlotProps extends PlotData {
  readonly title: string;
  format?(value: number | bigint): string;
  formatTime?(ms: number): string;
  /** True: UTC days; default: local times. */
  readonly utc?: boolean | undefined;
  onSelect?(index: number): void;
}

const HEIGHT_PX = 200;
const day = new Intl.DateTimeFormat(LOCALE, { dateStyle: "medium" });

function axisTimeFormatter(utc: boolean): (times: readonly number[], stepMs: number) => string[] {
  const zone = utc ? { timeZone: "UTC" } : {};
  const days = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short", ...zone });
  const minutes = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit", ...zone });
  const seconds = new Intl.DateTimeFormat(LOCALE, { timeStyle: "medium", ...zone });
  return (times, stepMs) => {
    const format = stepMs >= DAY ? days : stepMs >= 60_000 ? minutes : seconds;
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

/** @param name of a CSS variable, without `--` */
function colourOf(element: Element, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

const SERIES_COLOURS = ["accent", "tone-2", "tone-3", "tone-4", "tone-5", "tone-6"];

function optionsOf(
  UPlot: typeof uPlot,
  element: HTMLElement,
  props: PlotProps,
  width: number,
): uPlot.Options {
  const { series, format = String, utc = false } = props;
  const formatTimes = axisTimeFormatter(utc);
  const quiet = colourOf(element, "quiet");
  const line = colourOf(element, "line");
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: quiet, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const { bars, stepped } = UPlot.paths;
  const builders = { bars: bars?.({ size: [0.7, 40] }), steps: stepped?.({ align: 1 }), line: undefined };
  return {
    width,
    height: HEIGHT_PX,
    ms: 1,
    legend: { show: series.length > 1, live: true },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    ...(utc ? { tzDate: (ms) => UPlot.tzDate(new Date(ms), "Etc/UTC") } : {}),
    scales: { x: { range: () => timeRange(props) } },
    axes: [
      { ...axis, space: 80, values: (_plot, times, _axis, _space, stepMs) => formatTimes(times, stepMs) },
      { ...axis, size: 64, values: (_plot, values) => values.map((value) => format(value)) },
    ],
    series: [
      {},
      // Lower bars cover higher ones.
      ...series.toReversed().map(({ label, shape, values }, reverseIndex): uPlot.Series => {
        const i = series.length - 1 - reverseIndex;
        const colour = colourOf(element, SERIES_COLOURS[i % SERIES_COLOURS.length]);
        const paths = builders[shape];
        return {
          label,
          stroke: colour,
          width: shape === "bars" ? 0 : 1.5,
          ...(shape === "bars" ? { fill: colour } : {}),
          ...(paths === undefined ? {} : { paths }),
          points: { show: shape !== "bars" && props.times.length < 100 },
          value: (_plot, _height, _series, index) => {
            const value = index === null ? undefined : values[index];
            return value === null || value === undefined ? "–" : format(value);
          },
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

function usePlot(props: PlotProps): { current: HTMLDivElement | null } {
  const element = useRef<HTMLDivElement>(null);
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
      plot = new UPlot(optionsOf(UPlot, current, props, current.clientWidth), dataOf(props), current);
      plot.over.addEventListener("click", () => {
        const index = plot?.cursor.idx;
        if (typeof index === "number") props.onSelect?.(index);
      });
      observer.observe(current);
    };
    void drawPlot();
    return () => {
      isDisposed = true;
      observer.disconnect();
      plot?.destroy();
    };
  }, [times, series, colours]);
  return element;
}

interface Row {
  readonly time: number;
  readonly i: number;
}

export function Plot(props: PlotProps) {
  const { title, times, series, format = String, formatTime = (ms) => day.format(ms) } = props;
  const element = usePlot(props);
  const rows: readonly Row[] = times.map((time, i) => ({ time, i }));
  return (
    <figure class="plot">
      <figcaption class="visually-hidden">{title}</figcaption>
      <div class="drawn" ref={element} aria-hidden="true" />
      <details>
        <summary>{texts.asTable}</summary>
        <Table
          caption={title}
          rows={rows}
          keyOf={({ time }) => time}
          columns={[
            { head: commonTexts.time, kind: "time", cell: ({ time }: Row) => formatTime(time) },
            ...series.map(({ label, values }) => ({
              head: label,
              kind: "number" as const,
              cell: ({ i }: Row) => {
                const value = values[i];
                return value === null || value === undefined ? "–" : format(value);
              },
            })),
          ]}
        />
      </details>
    </figure>
  );
}
