import { bytesKey } from "../bytes/compare.ts";
import { type Bounds, DuplicateKeyError, type Reader, type Table, TableReader, type Writer } from "./kv.ts";
import { SortedKeys } from "./sorted-keys.ts";

/** A row held in memory; `value` undefined means that the row is removed (or known to be absent). */
interface Row {
  readonly key: Uint8Array;
  value: unknown;
  /** False for a row that was only read from below. */
  changed: boolean;
  /** Serial of the unit that recorded the previous value (see `batch.ts`); 0: none. */
  recordedIn: number;
}

/** The rows of one table that a layer holds. */
export interface Layer {
  // The layer of a table only ever holds values of that table's type; the type is put back where they leave.
  readonly table: Table<never, unknown>;
  readonly rows: Map<string, Row>;
  /** Changed keys in order; built at the first scan of the table and kept from then on. */
  sorted: SortedKeys | undefined;
}

/**
 * Changes kept in memory over any reader, or over nothing: pool validation, packing, tests, and the base of
 * a write to the store. The reader below must not change while the layer is used.
 */
export class Overlay extends TableReader implements Writer {
  protected readonly layers: (Layer | undefined)[] = [];

  constructor(protected readonly below?: Reader) {
    super();
  }

  find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    const row = this.layers[table.prefix]?.rows.get(bytesKey(key));
    if (row !== undefined) return row.value as V | undefined;
    return this.below?.find(table, key);
  }

  put<K, V>(table: Table<K, V>, key: K, value: V): void {
    this.write(table, table.key.encode(key), value, true);
  }

  remove<K, V>(table: Table<K, V>, key: K): void {
    this.write(table, table.key.encode(key), undefined, true);
  }

  insert<K, V>(table: Table<K, V>, key: K, value: V): void {
    this.write(table, table.key.encode(key), value, false);
  }

  *scan<K, V>(table: Table<K, V>, bounds: Bounds): Generator<[Uint8Array, V]> {
    const layer = this.layers[table.prefix];
    if (layer === undefined) {
      if (this.below !== undefined) yield* this.below.scan(table, bounds);
      return;
    }
    const { reverse } = bounds;
    const from = bounds.from && bytesKey(bounds.from);
    const to = bounds.to && bytesKey(bounds.to);
    layer.sorted ??= new SortedKeys(changedKeys(layer));
    const ours = reverse ? layer.sorted.downward(from, to) : layer.sorted.upward(from, to);
    const theirs = this.below?.scan(table, bounds)[Symbol.iterator]();
    try {
      let key = ours.next();
      let other = theirs?.next();
      while (key.done !== true || (other !== undefined && other.done !== true)) {
        if (other === undefined || other.done === true) {
          const row = layer.rows.get(key.value as string);
          if (row?.value !== undefined) yield [row.key, row.value as V];
          key = ours.next();
          continue;
        }
        const text = bytesKey(other.value[0]);
        if (key.done === true || (reverse ? text > key.value : text < key.value)) {
          // A row that this layer changed while the walk went on is met under its own key.
          const row = layer.rows.get(text);
          if (row === undefined || !row.changed) yield other.value;
          other = theirs?.next();
          continue;
        }
        const row = layer.rows.get(key.value);
        if (text === key.value) other = theirs?.next();
        if (row?.value !== undefined) yield [row.key, row.value as V];
        key = ours.next();
      }
    } finally {
      theirs?.return?.();
    }
  }

  /** Writes every change into `writer`, in no particular order of tables. The layer keeps its rows. */
  mergeInto(writer: Writer): void {
    for (const layer of this.layers) {
      if (layer === undefined) continue;
      for (const row of layer.rows.values()) {
        if (!row.changed) continue;
        const key = layer.table.key.decode(row.key);
        if (row.value === undefined) writer.remove(layer.table, key);
        else writer.put(layer.table, key, row.value);
      }
    }
  }

  /** Forgets every change. */
  discard(): void {
    this.layers.length = 0;
  }

  /** Called before a row changes; `looked` tells whether the caller wants the previous value looked up. */
  protected beforeChange<K, V>(_table: Table<K, V>, _row: Row, _fresh: boolean, _lookUp: boolean): void {}

  protected write<K, V>(table: Table<K, V>, key: Uint8Array, value: V | undefined, lookUp: boolean): void {
    const layer = this.layerOf(table);
    const text = bytesKey(key);
    let row = layer.rows.get(text);
    const fresh = row === undefined;
    if (row === undefined) {
      row = { key, value: undefined, changed: false, recordedIn: 0 };
      layer.rows.set(text, row);
    } else if (!lookUp && row.value !== undefined) throw new DuplicateKeyError(table.name);
    this.beforeChange(table, row, fresh, lookUp);
    if (!row.changed) {
      row.changed = true;
      layer.sorted?.add(text);
    }
    row.value = value;
  }

  private layerOf<K, V>(table: Table<K, V>): Layer {
    const known = this.layers[table.prefix];
    if (known !== undefined) return known;
    const layer: Layer = {
      table: table as unknown as Table<never, unknown>,
      rows: new Map(),
      sorted: undefined,
    };
    this.layers[table.prefix] = layer;
    return layer;
  }
}

function* changedKeys(layer: Layer): Generator<string> {
  for (const [text, row] of layer.rows) if (row.changed) yield text;
}
