/** A table: what it is about, its columns, its rows. On a phone it can be moved sideways, and by keyboard too. */
import type { ComponentChildren, JSX, Key } from "preact";

export interface Column<Row> {
  readonly head: ComponentChildren;
  cell(row: Row): ComponentChildren;
  /** `number`: at the right, digit below digit; `id`: takes the room that is left, and is cut by style. */
  readonly kind?: "number" | "id" | "time" | undefined;
}

/** The names of columns. */
export function TableHead<Row>(props: {
  readonly columns: readonly Column<Row>[];
  /** Whether only those who do not see the table need them. */
  readonly isUnseen?: boolean | undefined;
}): JSX.Element {
  return (
    <thead class={props.isUnseen === true ? "unseen" : undefined}>
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

/** What stands below them. */
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
          {columns.map(({ cell, kind }, i) => (
            <td key={i} class={kind}>
              {cell(row)}
            </td>
          ))}
        </tr>
      ))}
    </tbody>
  );
}

/** Rows with columns. */
export function Table<Row>(props: {
  /** Said to who does not see it. */
  readonly caption: string;
  /** Whether a page can have many of this caption: then it is no part of the page that one can go to by name. */
  readonly repeated?: boolean | undefined;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row, index: number): Key;
  /** Shown in place of rows. */
  readonly empty?: ComponentChildren;
  classOf?(row: Row): string | undefined;
}): JSX.Element {
  const { caption, repeated = false, columns, rows, keyOf, empty, classOf } = props;
  if (rows.length === 0 && empty !== undefined) return <p class="empty quiet">{empty}</p>;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what is scrolled must be reached by keyboard
    <section class="scrolled" tabIndex={0} aria-label={repeated ? undefined : caption}>
      <table>
        <caption class="unseen">{caption}</caption>
        <TableHead columns={columns} />
        <TableBody columns={columns} rows={rows} keyOf={keyOf} classOf={classOf} />
      </table>
    </section>
  );
}

/** Names and values, one below the other. What is undefined is left out. */
export function Facts(props: {
  readonly rows: readonly (readonly [name: string, value: ComponentChildren])[];
}): JSX.Element {
  return (
    <dl class="facts">
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
