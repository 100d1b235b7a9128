import type { ComponentChildren, JSX } from "preact";
import { percentText } from "../../text/measures.ts";
import { partTexts as texts } from "../texts.ts";

interface Share {
  readonly key: string;
  readonly label: ComponentChildren;
  /** One value per ring, from the outside, in any unit. */
  readonly parts: readonly number[];
}

const RINGS = [
  { radius: 43, width: 12 },
  { radius: 29, width: 12 },
];
/** Number of shares with their own colour. */
const TONES = 6;
/** Gap between shares, in hundredths of the image width. */
const GAP = 0.8;

/** Sorts by the outer ring and merges the shares without their own colour. */
export function largestShares(shares: readonly Share[]): readonly Share[] {
  const sorted = [...shares].sort((a, b) => (b.parts[0] ?? 0) - (a.parts[0] ?? 0));
  if (sorted.length <= TONES) return sorted;
  const rest = sorted.slice(TONES - 1);
  const parts = RINGS.map((_, ring) => rest.reduce((sum, share) => sum + (share.parts[ring] ?? 0), 0));
  return [...sorted.slice(0, TONES - 1), { key: "others", label: texts.others(rest.length), parts }];
}

const totalOf = (shares: readonly Share[], ring: number): number =>
  shares.reduce((sum, { parts }) => sum + (parts[ring] ?? 0), 0);

function Circle(props: { readonly shares: readonly Share[]; readonly ring: number }): JSX.Element {
  const { shares, ring } = props;
  const { radius, width } = RINGS[ring];
  const circumference = 2 * Math.PI * radius;
  const total = totalOf(shares, ring);
  let before = 0;
  return (
    <g stroke-width={width} transform="rotate(-90 50 50)">
      {total === 0 && <circle class="none" cx="50" cy="50" r={radius} />}
      {shares.map(({ key, parts }, i) => {
        const from = before / total;
        const part = (parts[ring] ?? 0) / total;
        before += parts[ring] ?? 0;
        if (total === 0 || part === 0) return null;
        const length = part === 1 ? circumference : Math.max(0.5, part * circumference - GAP);
        return (
          <circle
            key={key}
            class={`t${i}`}
            cx="50"
            cy="50"
            r={radius}
            stroke-dasharray={`${length} ${circumference}`}
            stroke-dashoffset={-from * circumference}
          />
        );
      })}
    </g>
  );
}

export function Ring(props: {
  readonly caption: string;
  readonly who: string;
  /** Labels of one or two rings, from the outside: "of blocks". */
  readonly wholes: readonly string[];
  readonly shares: readonly Share[];
}): JSX.Element {
  const { caption, who, wholes } = props;
  const shares = largestShares(props.shares);
  return (
    <figure class="ring">
      <svg viewBox="0 0 100 100" aria-hidden="true" focusable="false">
        {wholes.map((whole, ring) => (
          <Circle key={whole} shares={shares} ring={ring} />
        ))}
      </svg>
      <table>
        <caption class="unseen">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">{who}</th>
            {wholes.map((whole) => (
              <th key={whole} scope="col" class="number">
                {whole}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shares.map(({ key, label, parts }, i) => (
            <tr key={key}>
              <td class="label">
                <span>
                  <span class={`swatch t${i}`} aria-hidden="true" />
                  {label}
                </span>
              </td>
              {wholes.map((whole, ring) => {
                const total = totalOf(shares, ring);
                return (
                  <td key={whole} class="number">
                    {total === 0 ? "–" : percentText((parts[ring] ?? 0) / total)}
                  </td>
                );
              })}
            </tr>
          ))}
        </tbody>
      </table>
    </figure>
  );
}
