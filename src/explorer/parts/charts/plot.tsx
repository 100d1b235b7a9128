/** Time series, drawn by uPlot (loaded on first use), and the same data as a table. */

import type { JSX } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type uPlot from "uplot";
import { DAY } from "../../../bytes/durations.ts";
import { paint } from "../../shell/theme.ts";
import { commonTexts } from "../../text/common-texts.ts";
import { Table } from "../table.tsx";
import { partTexts as texts } from "../texts.ts";

interface Series {
  readonly label: string;
  /** One value per time, null if missing. Amounts are drawn approximately and written exactly. */
  readonly values: readonly (number | bigint | null)[];
  /** `bars` are stacked on those of the previous series; `steps` hold until the next value. */
  readonly shape: "line" | "steps" | "bars";
}

interface PlotData {
  /** Ascending, ms since 1970. */
  readonly times: readonly number[];
  readonly series: readonly Series[];
}

interface PlotProps extends PlotData {
  readonly title: string;
  /** `String` by default. */
  format?(value: number | bigint): string;
  /** The day by default. */
  formatTime?(ms: number): string;
  /** Whether times are UTC days, as in statistics; local time by default. */
  readonly utc?: boolean | undefined;
  /** @param index of the clicked time */
  choose?(index: number): void;
}

const HEIGHT = 200;
const day = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium" });

/** Chooses the format by the distance between times. */
function timeNames(utc: boolean): (times: readonly number[], apart: number) => string[] {
  const zone = utc ? { timeZone: "UTC" } : {};
  const days = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...zone });
  const minutes = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", ...zone });
  const seconds = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium", ...zone });
  return (times, apart) => {
    const format = apart >= DAY ? days : apart >= 60_000 ? minutes : seconds;
    return times.map((ms) => format.format(ms));
  };
}

/** Leaves room for half a bar at both ends. */
function timeRange({ times, series }: PlotData): [from: number, to: number] {
  const from = times[0] ?? 0;
  const to = times.at(-1) ?? 0;
  const hasBars = series.some(({ shape }) => shape === "bars");
  const step = times.length > 1 ? (to - from) / (times.length - 1) : DAY;
  const room = hasBars || from === to ? step / 2 : 0;
  return [from - room, to + room];
}

/** Resolves a colour variable of the style sheets. */
function colourOf(element: Element, name: string): string {
  const probe = document.createElement("span");
  probe.style.color = `var(--${name})`;
  element.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}

/** Colours of the series in order (`style/tokens.css`). */
const TONES = ["accent", "tone-2", "tone-3", "tone-4", "tone-5", "tone-6"];

function optionsOf(
  Drawer: typeof uPlot,
  element: HTMLElement,
  props: PlotProps,
  width: number,
): uPlot.Options {
  const { series, format = String, utc = false } = props;
  const nameTimes = timeNames(utc);
  const quiet = colourOf(element, "quiet");
  const line = colourOf(element, "line");
  const font = `12px ${getComputedStyle(element).fontFamily}`;
  const axis = { stroke: quiet, font, grid: { stroke: line, width: 1 }, ticks: { stroke: line, width: 1 } };
  const { bars, stepped } = Drawer.paths;
  const builders = { bars: bars?.({ size: [0.7, 40] }), steps: stepped?.({ align: 1 }), line: undefined };
  return {
    width,
    height: HEIGHT,
    ms: 1,
    legend: { show: series.length > 1, live: true },
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    ...(utc ? { tzDate: (ms) => Drawer.tzDate(new Date(ms), "Etc/UTC") } : {}),
    scales: { x: { range: () => timeRange(props) } },
    axes: [
      { ...axis, space: 80, values: (_plot, times, _axis, _space, apart) => nameTimes(times, apart) },
      { ...axis, size: 64, values: (_plot, values) => values.map((value) => format(value)) },
    ],
    series: [
      {},
      // Draw the highest bars first, so that lower ones cover them.
      ...series.toReversed().map(({ label, shape, values }, drawn): uPlot.Series => {
        const i = series.length - 1 - drawn;
        const colour = colourOf(element, TONES[i % TONES.length]);
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

/** Bars are stacked on those of the previous series. */
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

/** Redraws the element whenever its data or colours change. */
function usePlot(props: PlotProps): { current: HTMLDivElement | null } {
  const element = useRef<HTMLDivElement>(null);
  const painted = paint.value;
  const { times, series } = props;
  useEffect(() => {
    const { current } = element;
    if (current === null) return undefined;
    let drawn: uPlot | undefined;
    let isOver = false;
    const resized = new ResizeObserver(() => drawn?.setSize({ width: current.clientWidth, height: HEIGHT }));
    const draw = async (): Promise<void> => {
      const { default: Drawer } = await import("uplot");
      if (isOver) return;
      drawn = new Drawer(optionsOf(Drawer, current, props, current.clientWidth), dataOf(props), current);
      drawn.over.addEventListener("click", () => {
        const index = drawn?.cursor.idx;
        if (typeof index === "number") props.choose?.(index);
      });
      resized.observe(current);
    };
    void draw();
    return () => {
      isOver = true;
      resized.disconnect();
      drawn?.destroy();
    };
  }, [times, series, painted]);
  return element;
}

interface Row {
  readonly time: number;
  readonly i: number;
}

export function Plot(props: PlotProps): JSX.Element {
  const { title, times, series, format = String, formatTime = (ms) => day.format(ms) } = props;
  const element = usePlot(props);
  const rows: readonly Row[] = times.map((time, i) => ({ time, i }));
  return (
    <figure class="plot">
      <figcaption class="unseen">{title}</figcaption>
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
