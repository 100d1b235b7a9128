import type { ComponentChildren, JSX } from "preact";

export interface Bar {
  readonly key: string;
  readonly label: ComponentChildren;
  /** In any unit: the longest bar fills the width. */
  readonly length: number;
  readonly value: ComponentChildren;
}

export function Bars(props: { readonly title: string; readonly bars: readonly Bar[] }): JSX.Element {
  const maxLength = Math.max(...props.bars.map(({ length }) => length), 0);
  return (
    <ul class="bars bare" aria-label={props.title}>
      {props.bars.map(({ key, label, length, value }) => (
        <li key={key}>
          <span class="label">{label}</span>
          <span class="number">{value}</span>
          <svg
            class="length"
            viewBox="0 0 100 1"
            preserveAspectRatio="none"
            aria-hidden="true"
            focusable="false"
          >
            <rect width={maxLength === 0 ? 0 : (100 * length) / maxLength} height="1" />
          </svg>
        </li>
      ))}
    </ul>
  );
}
