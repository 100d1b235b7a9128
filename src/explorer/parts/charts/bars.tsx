import type { ComponentChildren } from "preact";

export interface Bar {
  readonly key: string;
  readonly label: ComponentChildren;
  readonly length: number;
  readonly value: ComponentChildren;
}

export function Bars(props: { readonly title: string; readonly bars: readonly Bar[] }) {
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
