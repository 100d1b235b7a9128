/** Tables scroll horizontally on narrow screens. */
import type { ComponentChildren, HTMLAttributes, Key } from "preact";
import { useMemo } from "preact/hooks";

export interface Column<Row> {
  readonly head: ComponentChildren;
  /** Name of the column on narrow screens. Default: `head`, if it is text. */
  readonly label?: string | undefined;
  cell(row: Row): ComponentChildren;
  readonly kind?: "number" | "id" | "time" | "label" | undefined;
  /** Width in a long list, in pixels. Columns without it share the remaining space. */
  readonly width?: number | undefined;
}

const columnOf =
  (kind: Column<unknown>["kind"]) =>
  <Row,>(head: ComponentChildren, cell: Column<Row>["cell"], width?: number): Column<Row> => ({
    head,
    cell,
    kind,
    width,
  });

export const numberColumn = columnOf("number");
export const idColumn = columnOf("id");
export const timeColumn = columnOf("time");

export function TableHead<Row>({ columns }: { readonly columns: readonly Column<Row>[] }) {
  return (
    <thead>
      <tr>
        {columns.map(({ head, kind }, i) => (
          <th key={i} scope="col" class={kind}>
            {head}
          </th>
        ))}
      </tr>
    </thead>
  );
}

export function TableRow<Row>(props: {
  readonly row: Row;
  readonly columns: readonly Column<Row>[];
  readonly className?: string | undefined;
  readonly index?: number | undefined;
  readonly measure?: ((element: HTMLTableRowElement | null) => void) | undefined;
}) {
  const { row, columns, className, index, measure } = props;
  const render = () => (
    <tr
      class={className}
      ref={measure}
      data-index={index}
      aria-rowindex={index === undefined ? undefined : index + 2}
    >
      {columns.map(({ head, label, cell, kind }, i) => (
        // On narrow screens each cell names its column.
        <td key={i} class={kind} data-label={label ?? (typeof head === "string" ? head : undefined)}>
          {cell(row)}
        </td>
      ))}
    </tr>
  );
  // Live lists are rendered often, and most of their rows are the same.
  return useMemo(render, [row, columns, className, index, measure]);
}

export function Table<Row>(props: {
  readonly caption: string;
  /** True if other tables can have the same caption: this table is then not a landmark. */
  readonly repeated?: boolean | undefined;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row, index: number): Key;
  readonly empty?: ComponentChildren;
  classOf?(row: Row): string | undefined;
}) {
  const { caption, repeated = false, columns, rows, keyOf, empty, classOf } = props;
  if (rows.length === 0 && empty !== undefined) return <p class="empty quiet">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: scrollable content must be reachable by keyboard
    <section class="scrolled" tabIndex={0} aria-label={repeated ? undefined : caption}>
      <table>
        <caption class="visually-hidden">{caption}</caption>
        <TableHead columns={columns} />
        <tbody>
          {rows.map((row, index) => (
            <TableRow key={keyOf(row, index)} row={row} columns={columns} className={classOf?.(row)} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

type FieldRow = readonly [
  name: string,
  value: ComponentChildren,
  attributes?: HTMLAttributes<HTMLDivElement>,
];

/** Omits rows whose value is undefined or false. */
export function FieldList({ rows }: { readonly rows: readonly FieldRow[] }) {
  return (
    <dl class="field-list">
      {rows
        .filter(([, value]) => value !== undefined && value !== false)
        .map(([name, value, attributes]) => (
          <div key={name} {...attributes}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
    </dl>
  );
}
