/** A table's description defines its statements, its comments, its row types, and what undoing units changes in it. */

/** Values by type of column, as connections return and accept them. */
export interface ColumnValues {
  readonly smallint: number;
  readonly integer: number;
  readonly bigint: bigint;
  /** Whole numbers only. */
  readonly numeric: bigint;
  readonly boolean: boolean;
  readonly bytea: Uint8Array;
  /** Without U+0000 and lone surrogates. */
  readonly text: string;
  readonly uuid: string;
  /** See `calendarTime`. */
  readonly "timestamptz(3)": Date;
  readonly jsonb: unknown;
  readonly "smallint[]": readonly number[];
  readonly "bigint[]": readonly bigint[];
  readonly "text[]": readonly (string | null)[];
}

export type ColumnType = keyof ColumnValues;

export interface Column<T extends ColumnType = ColumnType, N extends boolean = boolean> {
  readonly type: T;
  readonly isNullable: N;
  readonly comment: string;
}

export type Columns = Readonly<Record<string, Column>>;

export interface Index {
  /** The full name is `<table>_<name>`. */
  readonly name: string;
  /** Columns, as in `create index … (on)`. */
  readonly on: string;
  readonly isUnique?: boolean;
  /** Needs few bytes, if rows are inserted in the order of the column. */
  readonly using?: "brin";
  readonly where?: string;
}

/** Columns that a later unit sets on a row, and that undoing that unit sets to null. */
export interface Mark {
  /** Name of the column with the height of the later unit. */
  readonly height: string;
  /** Name of the column with the position of the unit's transaction. */
  readonly position: string;
}

/**
 * What undoing units does to a table.
 *
 * - `fact`: undoing deletes the rows of undone transactions (`height`, `position`), units (`height`, `sequence`) or blocks
 *   (`height`). Each unit of a block rewrites the block's row.
 * - `state`: undoing sets a key's row to the newest remaining change, or deletes the row if no change remains.
 * - `kept`: never undone.
 */
export type TableKind =
  | { readonly kind: "fact"; readonly place: "position" | "sequence" | "height" }
  | { readonly kind: "state"; readonly key: string }
  | { readonly kind: "kept" };

export interface Table<C extends Columns = Columns> {
  readonly name: string;
  readonly comment: string;
  readonly kind: TableKind;
  readonly marks?: readonly Mark[];
  readonly columns: C;
  /** Names of the key's columns. Without a key, the table has one row. */
  readonly key: readonly string[];
  /** True if a first fill creates the key after the rows, as a unique index. */
  readonly isKeyLate?: boolean;
  /** True if the table is partitioned by `height`. */
  readonly isPartitioned?: boolean;
  /** Indexes that a first fill creates after the rows. */
  readonly indexes?: readonly Index[];
  /** Columns of bytes that PostgreSQL must not try to compress. */
  readonly uncompressed?: readonly string[];
}

export function defineTable<const C extends Columns>(table: Table<C>): Table<C> {
  return table;
}

export function column<T extends ColumnType>(type: T, comment: string): Column<T, false> {
  return { type, isNullable: false, comment };
}

export function optional<T extends ColumnType>(type: T, comment: string): Column<T, true> {
  return { type, isNullable: true, comment };
}

const FIRST_TIME = BigInt(Date.parse("0001-01-01T00:00:00.000Z"));
const LAST_TIME = BigInt(Date.parse("9999-12-31T23:59:59.999Z"));

/** Returns null for a time outside the years 1 to 9999, which many programs cannot read. @param ms since 1970 */
export function calendarTime(ms: bigint): Date | null {
  return ms < FIRST_TIME || ms > LAST_TIME ? null : new Date(Number(ms));
}
