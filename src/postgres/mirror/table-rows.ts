import { tables } from "../schema/all-tables.ts";
import type { Column, Columns, ColumnType, ColumnValues, Table } from "../schema/table.ts";
import { AddressList } from "./address-list.ts";
import { CopyEncoder } from "./copy-format.ts";

type Value<T extends ColumnType> = T extends "bigint" ? bigint | Uint8Array : ColumnValues[T];

/** A row with addresses (26 bytes) in place of account numbers, which are unknown until the row is written. */
type NewRow<C extends Columns> = {
  readonly [K in keyof C]: C[K] extends Column<infer Type, infer N>
    ? N extends true
      ? Value<Type> | null
      : Value<Type>
    : never;
};

export interface TargetTable {
  readonly name: string;
  readonly columns: Columns;
}

export type AnyRow = Readonly<Record<string, unknown>>;

/** Returns the number of an account, by its address. */
export type AccountIdOf = (address: Uint8Array) => bigint;

/** Tables that are written separately, because their rows depend on other rows. */
export const separateTables: ReadonlySet<string> = new Set(
  [tables.account, tables.accountKey, tables.role].map(({ name }) => name),
);

interface Added {
  readonly table: TargetTable;
  readonly rows: AnyRow[];
  /** Undefined if `rows` contains the rows. */
  readonly encoder: CopyEncoder | undefined;
}

export class TableRows {
  readonly #added = new Map<string, Added>();
  readonly #encodes: boolean;
  /** Addresses in encoded rows. */
  readonly #addresses = new AddressList();

  /** @param encodes true: encodes rows for COPY, which needs less memory and time; false: keeps objects */
  constructor(encodes = false) {
    this.#encodes = encodes;
  }

  add<C extends Columns>(table: Table<C>, row: NewRow<C>): void {
    const { rows, encoder } = this.#added.get(table.name) ?? this.#addTable(table);
    if (encoder === undefined) rows.push(row);
    else encoder.add(row);
  }

  #addTable(table: TargetTable): Added {
    const isEncoded = this.#encodes && !separateTables.has(table.name);
    const encoder = isEncoded ? new CopyEncoder(table.columns, this.#addresses) : undefined;
    const added = { table, rows: [], encoder };
    this.#added.set(table.name, added);
    return added;
  }

  /** Returns the rows of a table that are not encoded. */
  of({ name }: Pick<TargetTable, "name">): readonly AnyRow[] {
    return this.#added.get(name)?.rows ?? [];
  }

  /** Tables whose rows are not encoded. */
  get tables(): readonly { readonly table: TargetTable; readonly rows: readonly AnyRow[] }[] {
    return [...this.#added.values()].filter(({ encoder }) => encoder === undefined);
  }

  /** Finishes the encoded rows and yields them by table. Call this once. */
  *encoded(idOf: AccountIdOf): Generator<{ readonly table: TargetTable; readonly bytes: Uint8Array }> {
    const ids = this.#addresses.addresses.map(idOf);
    for (const { table, encoder } of this.#added.values())
      if (encoder !== undefined) yield { table, bytes: encoder.finish(ids) };
  }

  addresses(visit: (address: Uint8Array) => void): void {
    for (const address of this.#addresses.addresses) visit(address);
    for (const { table, rows } of this.tables) {
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
