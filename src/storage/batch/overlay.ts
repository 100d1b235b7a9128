import { bytesKey } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import { SortedMap } from "../../collections/sorted-map.ts";
import { CountBuffer, sumCounts } from "../counters.ts";
import {
  type Bounds,
  DuplicateKeyError,
  type Reader,
  type RowHandle,
  type Table,
  TableReader,
  type Writer,
} from "../kv.ts";
import type { Counter } from "../lsm/counter.ts";
import { FencePointers } from "../lsm/fence-pointers.ts";
import { Memtable } from "../lsm/memtable.ts";
import type { LsmTree } from "../lsm/tree.ts";
import { mergePlaces, type Place } from "../places.ts";

export type AnyTable = Table<unknown, unknown>;

export interface Row {
  readonly key: Uint8Array;
  /** Undefined: there is no row with this key. */
  value: unknown;
  /** Cached encoding of `value`. */
  encoded: Uint8Array | undefined;
  /** False for a row that was only read from the base. */
  changed: boolean;
  /** True if the base does not have the row, because its first change was an `insert`. */
  readonly isNew: boolean;
  /** Serial number of the last unit whose journal entry has the row's previous value; 0 if none. */
  recordedIn: number;
}

export interface Layer {
  readonly table: AnyTable;
  readonly rows: Map<string, Row>;
  /** The changed rows by key. Undefined before the first scan. */
  sorted: SortedMap<Row> | undefined;
}

/** Keeps changes in memory, on top of an optional base, which must not change while the overlay is in use. */
export class Overlay extends TableReader implements Writer {
  protected readonly layers: (Layer | undefined)[] = [];
  protected readonly memtableById: (Memtable | undefined)[] = [];
  protected readonly addedCounts = new Map<Counter, CountBuffer>();

  constructor(protected readonly base?: Reader) {
    super();
  }

  get rowCount(): number {
    return this.layers.reduce((sum, layer) => sum + (layer?.rows.size ?? 0), 0);
  }

  find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    const row = this.layers[table.prefix]?.rows.get(bytesKey(key));
    if (row !== undefined) return row.value as V | undefined;
    return this.base?.find(table, key);
  }

  put<K, V>(table: Table<K, V>, key: K, value: V): void {
    this.write(table, table.key.encode(key), value, true);
  }

  open<K, V>(table: Table<K, V>, key: K): RowHandle<V> {
    const keyBytes = table.key.encode(key);
    // The cast is safe, because the row is in this table.
    return this.openRow(this.layerOf(table), bytesKey(keyBytes), keyBytes) as RowHandle<V>;
  }

  putOpened<K, V>(table: Table<K, V>, row: RowHandle<V>, value: V): void {
    // `open` returned the row.
    this.assign(this.layerOf(table), row as Row, value);
  }

  remove<K, V>(table: Table<K, V>, key: K): void {
    this.write(table, table.key.encode(key), undefined, true);
  }

  insert<K, V>(table: Table<K, V>, key: K, value: V): void {
    this.write(table, table.key.encode(key), value, false);
  }

  addEntry(tree: LsmTree, tag: Uint8Array, place: Place): void {
    this.memtableById[tree.id] ??= new Memtable();
    this.memtableById[tree.id]?.add(tag, place);
  }

  addCount(counter: Counter, key: Uint8Array, label: number, count: number): void {
    this.countsFor(counter).add(key, label, count);
  }

  countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number> {
    // An overlay is too short-lived to cache fence pointers.
    return sumCounts(this, new FencePointers(), counter, key);
  }

  findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place> {
    const added = this.memtableById[tree.id]?.find(tag, below);
    const older = this.base?.findEntries(tree, tag, below) ?? [];
    return added === undefined ? older : mergePlaces(added, older, false);
  }

  findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place> {
    const added = this.memtableById[tree.id]?.findAscending(tag);
    const older = this.base?.findEntriesAscending(tree, tag) ?? [];
    return added === undefined ? older : mergePlaces(added, older, true);
  }

  *scan<K, V>(table: Table<K, V>, bounds: Bounds): Generator<[Uint8Array, V]> {
    const layer = this.layers[table.prefix];
    if (layer === undefined) {
      if (this.base !== undefined) yield* this.base.scan(table, bounds);
      return;
    }
    const { reverse } = bounds;
    const from = bounds.from && bytesKey(bounds.from);
    const to = bounds.to && bytesKey(bounds.to);
    layer.sorted ??= new SortedMap([...layer.rows].filter(([, { changed }]) => changed));
    const changedRows = reverse ? layer.sorted.descending(from, to) : layer.sorted.ascending(from, to);
    const baseRows = this.base?.scan(table, bounds)[Symbol.iterator]();
    try {
      let nextChanged = changedRows.next();
      let nextBase = baseRows?.next();
      while (nextChanged.done !== true || (nextBase !== undefined && nextBase.done !== true)) {
        if (nextBase !== undefined && nextBase.done !== true) {
          const keyText = bytesKey(nextBase.value[0]);
          if (
            nextChanged.done === true ||
            (reverse ? keyText > nextChanged.value[0] : keyText < nextChanged.value[0])
          ) {
            const row = layer.rows.get(keyText);
            if (row?.changed !== true) yield nextBase.value;
            else if (row.value !== undefined) yield [row.key, row.value as V];
            nextBase = baseRows?.next();
            continue;
          }
          if (keyText === nextChanged.value[0]) nextBase = baseRows?.next();
        }
        if (nextChanged.done === true) continue;
        const [, row] = nextChanged.value;
        if (row.value !== undefined) yield [row.key, row.value as V];
        nextChanged = changedRows.next();
      }
    } finally {
      baseRows?.return?.();
    }
  }

  mergeInto(writer: Writer): void {
    for (const { table, rows } of this.layers.filter((layer) => layer !== undefined)) {
      for (const row of rows.values()) {
        if (!row.changed) continue;
        const key = table.key.decode(row.key);
        if (row.value === undefined) writer.remove(table, key);
        else writer.put(table, key, row.value);
      }
    }
    this.memtableById.forEach((memtable, id) => {
      if (memtable !== undefined)
        for (const [tag, place] of memtable.all()) writer.addEntry({ id }, tag, place);
    });
    for (const [counter, counts] of this.addedCounts)
      for (const { key, label, count } of counts) writer.addCount(counter, key, label, count);
  }

  discard(): void {
    this.layers.length = 0;
    this.memtableById.length = 0;
    this.addedCounts.clear();
  }

  /** @param mayExist false if the caller knows that `base` does not have the row */
  protected write<K, V>(table: Table<K, V>, key: Uint8Array, value: V | undefined, mayExist: boolean): void {
    const layer = this.layerOf(table);
    const keyText = bytesKey(key);
    const row = this.rowOf(layer, keyText, key, !mayExist);
    if (!mayExist && row.value !== undefined) throw new DuplicateKeyError(table.name);
    this.assign(layer, row, value);
  }

  /** Returns the row, with its value from the base if it is unchanged. */
  protected openRow(layer: Layer, keyText: string, key: Uint8Array): Row {
    return getOrInsert(layer.rows, keyText, () => {
      const value = this.base?.find(layer.table, key);
      return { key, value, encoded: undefined, changed: false, isNew: false, recordedIn: 0 };
    });
  }

  /** @param isNew see `Row` */
  protected rowOf(layer: Layer, keyText: string, key: Uint8Array, isNew = false): Row {
    let row = layer.rows.get(keyText);
    if (row === undefined) {
      row = { key, value: undefined, encoded: undefined, changed: false, isNew, recordedIn: 0 };
      layer.rows.set(keyText, row);
    }
    return row;
  }

  protected assign(layer: Layer, row: Row, value: unknown): void {
    if (!row.changed) {
      row.changed = true;
      layer.sorted?.set(bytesKey(row.key), row);
    }
    row.value = value;
    row.encoded = undefined;
  }

  protected countsFor(counter: Counter): CountBuffer {
    return getOrInsert(this.addedCounts, counter, () => new CountBuffer());
  }

  protected layerOf<K, V>(table: Table<K, V>): Layer {
    const existing = this.layers[table.prefix];
    if (existing !== undefined) return existing;
    // The cast is safe, because a prefix belongs to one table.
    const layer: Layer = { table: table as unknown as AnyTable, rows: new Map(), sorted: undefined };
    this.layers[table.prefix] = layer;
    return layer;
  }
}
