/** Tables scroll horizontally on narrow screens. */
import type { ComponentChildren, JSX, Key } from "preact";

export interface Column<Row> {
  readonly head: ComponentChildren;
  /** Name of the column on narrow screens. Default: `head`, if it is text. */
  readonly label?: string | undefined;
  cell(row: Row): ComponentChildren;
  /** `number` aligns to the right; `id` fills the remaining width. */
  readonly kind?: "number" | "id" | "time" | undefined;
}

export function TableHead<Row>(props: {
  readonly columns: readonly Column<Row>[];
  readonly isVisuallyHidden?: boolean | undefined;
}): JSX.Element {
  return (
    <thead class={props.isVisuallyHidden === true ? "visually-hidden" : undefined}>
      <tr>
        {props.columns.map(({ head, kind }, i) => (
          <th key={i} scope="col" class={kind}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export function TableBody<Row>(props: {
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row, index: number): Key;
  readonly classOf?: ((row: Row) => string | undefined) | undefined;
}): JSX.Element {
  const { columns, rows, keyOf, classOf } = props;
  return (
    <tbody>
      {rows.map((row, index) => (
        <tr key={keyOf(row, index)} class={classOf?.(row)}>
          {columns.map(({ head, label, cell, kind }, i) => (
            // On narrow screens each cell names its column.
            <td key={i} class={kind} data-label={label ?? (typeof head === "string" ? head : undefined)}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

export function Table<Row>(props: {
  /** For screen readers. */
  readonly caption: string;
  /** True if other tables can have the same caption: this one must not be a landmark. */
  readonly repeated?: boolean | undefined;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row, index: number): Key;
  readonly empty?: ComponentChildren;
  classOf?(row: Row): string | undefined;
}): JSX.Element {
  const { caption, repeated = false, columns, rows, keyOf, empty, classOf } = props;
  if (rows.length === 0 && empty !== undefined) return <p class="empty quiet">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="scrolled" tabIndex={0} aria-label={repeated ? undefined : caption}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <TableHead columns={columns} />
        <TableBody columns={columns} rows={rows} keyOf={keyOf} classOf={classOf} />
      </table>
    </section>
  );
}

export function FieldList(props: {
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="field-list">
      {props.rows
        .filter(([, value]) => value !== undefined)
        .map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
