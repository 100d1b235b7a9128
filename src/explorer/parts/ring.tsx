/** A ring of shares. The list beside it says the same in words, so that no colour is needed to read it. */
import type { ComponentChildren, JSX } from "preact";

/** Part of the whole. */
export interface Share {
  readonly key: string;
  readonly label: ComponentChildren;
  /** How much, in whatever it is counted in. */
  readonly part: number;
}

const RADIUS = 40;
const ROUND = 2 * Math.PI * RADIUS;
/** Shares that have a tone of their own; the rest is one. */
export const TONES = 6;

export const percent = (share: number): string =>
  `${(100 * share).toFixed(share > 0 && share < 0.1 ? 1 : 0)} %`;

/** The shares, the largest first, those that have no tone of their own made one. */
export function largest(shares: readonly Share[]): Share[] {
  const sorted = [...shares].sort((a, b) => b.part - a.part);
  if (sorted.length <= TONES) return sorted;
  const rest = sorted.slice(TONES - 1);
  const part = rest.reduce((sum, one) => sum + one.part, 0);
  return [...sorted.slice(0, TONES - 1), { key: "", label: `${rest.length} others`, part }];
}

export function Ring(props: {
  /** What is divided. */
  readonly title: string;
  readonly shares: readonly Share[];
  /** In the middle. */
  readonly middle?: string | undefined;
}): JSX.Element {
  const shares = largest(props.shares);
  const total = shares.reduce((sum, { part }) => sum + part, 0);
  let before = 0;
  return (
    <figure class="ring">
      <svg viewBox="0 0 100 100" aria-hidden="true" focusable="false">
        {total === 0 && <circle class="tone none" cx="50" cy="50" r={RADIUS} />}
        {shares.map(({ key, part }, i) => {
          const from = before;
          before += part;
          if (part === 0) return null;
          return (
            <circle
              key={key}
              class={`tone t${i}`}
              cx="50"
              cy="50"
              r={RADIUS}
              stroke-dasharray={`${Math.max(0.5, (part / total) * ROUND - 1)} ${ROUND}`}
              stroke-dashoffset={-(from / total) * ROUND}
              transform="rotate(-90 50 50)"
            />
          );
        })}
        {props.middle !== undefined && (
          <text x="50" y="50" text-anchor="middle" dominant-baseline="central">
            {props.middle}
          </text>
        )}
      </svg>
      <figcaption>
        <span class="title">{props.title}</span>
        <ol class="bare">
          {shares.map(({ key, label, part }, i) => (
            <li key={key}>
              <span class={`swatch t${i}`} aria-hidden="true" />
              <span class="label">{label}</span>
              <span class="number">{total === 0 ? "–" : percent(part / total)}</span>
            </li>
          ))}
        </ol>
      </figcaption>
    </figure>
  );
}
