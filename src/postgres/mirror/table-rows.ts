import type { Column, Columns, ColumnType, ColumnValues, Table } from "../schema/table.ts";

type Value<T extends ColumnType> = T extends "bigint" ? bigint | Uint8Array : ColumnValues[T];

/** A row with addresses (26 bytes) in place of account numbers, which are known when the row is written. */
type NewRow<C extends Columns> = {
  readonly [K in keyof C]: C[K] extends Column<infer Type, infer N>
    ? N extends true
      ? Value<Type> | null
      : Value<Type>
    : never;
};

/** What the mirror needs to insert rows. */
export interface TargetTable {
  readonly name: string;
  readonly columns: Columns;
}

export type AnyRow = Readonly<Record<string, unknown>>;

/** Returns the number of an account, by its address. */
export type AccountIdOf = (address: Uint8Array) => bigint;

/** New rows by table. */
export class TableRows {
  readonly #rows = new Map<string, { readonly table: TargetTable; readonly rows: AnyRow[] }>();

  add<C extends Columns>(table: Table<C>, row: NewRow<C>): void {
    const found = this.#rows.get(table.name);
    if (found === undefined) this.#rows.set(table.name, { table, rows: [row] });
    else found.rows.push(row);
  }

  of({ name }: Pick<TargetTable, "name">): readonly AnyRow[] {
    return this.#rows.get(name)?.rows ?? [];
  }

  /** Tables with rows. */
  get tables(): readonly { readonly table: TargetTable; readonly rows: readonly AnyRow[] }[] {
    return [...this.#rows.values()];
  }

  /** Calls `visit` with each address in a row. */
  addresses(visit: (address: Uint8Array) => void): void {
    for (const { table, rows } of this.#rows.values()) {
      const { columns } = table;
      const names = Object.keys(columns).filter((name) => columns[name].type === "bigint");
      for (const name of names)
        for (const row of rows) {
          const value = row[name];
          if (value instanceof Uint8Array) visit(value);
        }
    }
  }
}
