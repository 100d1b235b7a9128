import type { ComponentChildren } from "preact";
import { percentText } from "../../text/text.ts";
import { type Column, numberColumn, TableHead, TableRow } from "../lists/table.tsx";
import { partTexts as texts } from "../texts.ts";
import { toneOf } from "./tone.ts";

interface Share {
  readonly key: string;
  readonly label: ComponentChildren;
  /** One value per ring, outermost first. */
  readonly parts: readonly number[];
}

/** From the outermost inwards, in hundredths of the image width. */
const RINGS = [
  { radius: 43, width: 12 },
  { radius: 29, width: 12 },
];
/** The smallest shares are merged. */
const MAX_SHARES = 6;
/** In hundredths of the image width. */
const GAP = 0.8;

export function largestShares(shares: readonly Share[]): readonly Share[] {
  const sorted = [...shares].sort((a, b) => (b.parts[0] ?? 0) - (a.parts[0] ?? 0));
  if (sorted.length <= MAX_SHARES) return sorted;
  const others = sorted.slice(MAX_SHARES - 1);
  const parts = RINGS.map((_, ring) => others.reduce((sum, share) => sum + (share.parts[ring] ?? 0), 0));
  return [...sorted.slice(0, MAX_SHARES - 1), { key: "others", label: texts.others(others.length), parts }];
}

const totalOf = (shares: readonly Share[], ring: number): number =>
  shares.reduce((sum, { parts }) => sum + (parts[ring] ?? 0), 0);

function Circle(props: { readonly shares: readonly Share[]; readonly ring: number }) {
  const { shares, ring } = props;
  const { radius, width } = RINGS[ring];
  const circumference = 2 * Math.PI * radius;
  const total = totalOf(shares, ring);
  let sumBefore = 0;
  return (
    <g stroke-width={width} transform="rotate(-90 50 50)">
      {total === 0 && <circle class="none" cx="50" cy="50" r={radius} />}
      {shares.map(({ key, parts }, i) => {
        const start = sumBefore / total;
        const fraction = (parts[ring] ?? 0) / total;
        sumBefore += parts[ring] ?? 0;
        if (total === 0 || fraction === 0) return null;
        const length = fraction === 1 ? circumference : Math.max(0.5, fraction * circumference - GAP);
        return (
          <circle
            key={key}
            style={{ color: toneOf(i) }}
            cx="50"
            cy="50"
            r={radius}
            stroke-dasharray={`${length} ${circumference}`}
            stroke-dashoffset={-start * circumference}
          />
        );
      })}
    </g>
  );
}

export function Ring(props: {
  readonly caption: string;
  readonly labelHeading: string;
  readonly ringLabels: readonly string[];
  readonly shares: readonly Share[];
}) {
  const { caption, labelHeading, ringLabels } = props;
  const shares = largestShares(props.shares);
  const columns: readonly Column<Share>[] = [
    {
      head: labelHeading,
      kind: "label",
      cell: (share) => (
        <span>
          <span class="swatch" style={{ color: toneOf(shares.indexOf(share)) }} aria-hidden="true" />
          {share.label}
        </span>
      ),
    },
    ...ringLabels.map((ringLabel, ring) => {
      const total = totalOf(shares, ring);
      return numberColumn<Share>(ringLabel, ({ parts }) =>
        total === 0 ? "–" : percentText((parts[ring] ?? 0) / total),
      );
    }),
  ];
  return (
    <figure class="row ring">
      <svg viewBox="0 0 100 100" aria-hidden="true" focusable="false">
        {ringLabels.map((ringLabel, ring) => (
          <Circle key={ringLabel} shares={shares} ring={ring} />
        ))}
      </svg>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <TableHead columns={columns} />
        <tbody>
          {shares.map((share) => (
            <TableRow key={share.key} row={share} columns={columns} />
          ))}
        </tbody>
      </table>
    </figure>
  );
}
