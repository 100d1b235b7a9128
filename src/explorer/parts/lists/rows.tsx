import type { JSX, RefObject } from "preact";
import { type Column, TableHead, TableRow } from "./table.tsx";

export interface RowsProps<Row> {
  readonly caption: string;
  readonly columns: readonly Column<Row>[];
  readonly rows: readonly Row[];
  keyOf(row: Row): string;
  readonly isAligned?: boolean | undefined;
  /** Number of rows in a page that the node renders: as many as a window shows. */
  readonly firstRows?: number | undefined;
}

const DEFAULT_FIRST_ROWS = 30;

/** Minimum width of a column without `width`, in pixels. */
const MIN_FILL_WIDTH = 160;

/** A table of some rows, with space for the rows before and after them. */
export function RowsTable<Row>(
  props: RowsProps<Row> & {
    readonly indexes: readonly number[];
    /** In pixels. */
    readonly heightBefore?: number;
    readonly heightAfter?: number;
    readonly table?: RefObject<HTMLTableElement | null>;
    readonly measure?: (row: HTMLTableRowElement | null) => void;
  },
) {
  const { caption, columns, rows, keyOf, isAligned = false } = props;
  const { indexes, heightBefore = 0, heightAfter = 0, table, measure } = props;
  const minWidth = columns.reduce((sum, { width = MIN_FILL_WIDTH }) => sum + width, 0);
  const spacer = (height: number): JSX.Element | false =>
    height > 0 && (
      <tr class="spacer" style={{ height: `${height}px` }}>
        <td colSpan={columns.length} />
      </tr>
    );
  return (
    <table
      ref={table}
      class={isAligned ? "long-table aligned" : "long-table"}
      style={{ "--min-width": `${minWidth}px` }}
      aria-rowcount={rows.length + 1}
    >
      <caption class="visually-hidden">{caption}</caption>
      <colgroup>
        {columns.map(({ width }, i) => (
          <col key={i} style={width === undefined ? undefined : { width: `${width}px` }} />
        ))}
      </colgroup>
      <TableHead columns={columns} />
      <tbody>
        {spacer(heightBefore)}
        {indexes.map((index) => (
          <TableRow
            key={keyOf(rows[index])}
            row={rows[index]}
            columns={columns}
            index={index}
            measure={measure}
          />
        ))}
        {spacer(heightAfter)}
      </tbody>
    </table>
  );
}

let isLimited = false;

/** For the node, whose page contains the other rows only as data. */
export function limitPlainRows(): void {
  isLimited = true;
}

export function PlainRows<Row>(props: RowsProps<Row>) {
  const { rows, firstRows = DEFAULT_FIRST_ROWS } = props;
  const indexes = rows.slice(0, isLimited ? firstRows : rows.length).map((_, index) => index);
  return <RowsTable {...props} indexes={indexes} />;
}
