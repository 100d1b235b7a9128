import { bytesKey } from "../../bytes/compare.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import { CountBuffer } from "../counters.ts";
import { afterPrefix, DelegatingReader, type Reader, type Table } from "../kv.ts";
import { flushMemtable } from "../lsm/compaction.ts";
import type { Counter } from "../lsm/counter.ts";
import type { Memtable } from "../lsm/memtable.ts";
import { isAfter, type UnitKey } from "../places.ts";
import { counters, tables } from "../tables.ts";
import { decodeRecords, encodeRecords, type Records } from "./journal-records.ts";
import { type AnyTable, type Layer, Overlay, type Row } from "./overlay.ts";

/** Sequence of the unit that persists a block on its own: after a rollback or an import (page 05 §23.8). */
export const PERSIST_SEQUENCE = 0xffff;

/** A unit is asked for out of turn: a fault of the caller, or a store that is not what it should be. */
export class UnitOrderError extends Error {
  override readonly name = "UnitOrderError";
}

/** The unit to be undone is older than the journal reaches. */
export class JournalPrunedError extends Error {
  override readonly name = "JournalPrunedError";
  readonly unit: UnitKey;
  constructor(unit: UnitKey) {
    super(`Cannot undo block ${unit.height}: it is older than the undo journal reaches`);
    this.unit = unit;
  }
}

/** What the store below a write batch can do beyond reading. */
export interface WriteBatchSource extends Reader {
  /** The stored bytes of a row, in an array of their own. */
  bytes(table: AnyTable, key: Uint8Array): Uint8Array | undefined;
}

/** Any reader below a batch: rows are encoded again where their bytes are asked for. */
export class EncodingSource extends DelegatingReader implements WriteBatchSource {
  readonly #reader: Reader;

  constructor(reader: Reader) {
    super();
    this.#reader = reader;
  }

  protected source(): Reader {
    return this.#reader;
  }

  bytes<K, V>(table: Table<K, V>, key: Uint8Array): Uint8Array | undefined {
    const value = this.find(table, key);
    return value === undefined ? undefined : table.value.encode(value);
  }
}

/**
 * One commit to be: changes in memory over the store, in units. A unit is what is undone as a whole: a key
 * block (height, 0), a micro block (height, 1...), or the work of persisting a block where no child does it
 * (height, `PERSIST_SEQUENCE`). Journaled tables change inside a unit only. DESIGN decisions 2 and 3.
 */
export class WriteBatch extends Overlay {
  readonly #source: WriteBatchSource;
  /** Serial of the open unit, counted within the write batch. */
  #serial = 0;
  #unit: UnitKey | undefined;
  #records = new Map<number, Records>();
  /** What the open unit adds to counters. */
  #counts = new Map<Counter, CountBuffer>();
  /** The newest unit, once it was looked up. */
  #last: UnitKey | undefined;
  #lastKnown = false;
  #closed = 0;

  constructor(source: WriteBatchSource) {
    super(source);
    this.#source = source;
  }

  /** The newest unit, which is the only one that can be undone; undefined when the journal is empty. */
  get lastUnit(): UnitKey | undefined {
    if (!this.#lastKnown) {
      this.#last = undefined;
      for (const [key] of this.range(tables.journal, { reverse: true, limit: 1 })) this.#last = key;
      this.#lastKnown = true;
    }
    return this.#last;
  }

  /** Number of units closed in this write batch, those undone since among them. */
  get unitCount(): number {
    return this.#closed;
  }

  /** The unit that is open, if any. */
  get openUnit(): UnitKey | undefined {
    return this.#unit;
  }

  /**
   * Opens a unit.
   * @throws UnitOrderError when one is open, or when `key` does not come after the newest one
   */
  beginUnit(key: UnitKey): void {
    this.#checkNoUnit();
    const last = this.lastUnit;
    if (last !== undefined && !isAfter(key, last)) {
      throw new UnitOrderError(`Unit ${unitText(key)} does not come after unit ${unitText(last)}`);
    }
    this.#unit = key;
    this.#serial++;
  }

  /**
   * Closes the unit: its previous values become one row of the journal.
   * @throws UnitOrderError when none is open
   */
  endUnit(): void {
    const { unit, records } = this.#close();
    this.put(tables.journal, unit, encodeRecords(records));
    this.#last = unit;
    this.#lastKnown = true;
    this.#closed++;
  }

  /**
   * Takes back what the open unit changed and closes it without a trace.
   * @throws UnitOrderError when none is open
   */
  abandonUnit(): void {
    this.#restore(this.#close().records);
  }

  /**
   * Puts back the previous value of every row that the newest unit changed.
   * @param restores which tables and counters; all unless given
   * @throws UnitOrderError when a unit is open, or `key` is not the newest one
   * @throws JournalPrunedError when the journal does not reach back to it
   */
  undoUnit(key: UnitKey, restores?: (table: Undoable) => boolean): void {
    this.#checkNoUnit();
    const last = this.lastUnit;
    if (last === undefined || isAfter(key, last)) throw new JournalPrunedError(key);
    if (isAfter(last, key)) {
      throw new UnitOrderError(`Unit ${unitText(key)} cannot be undone before unit ${unitText(last)}`);
    }
    const journal = this.get(tables.journal, last);
    if (journal === undefined) throw new JournalPrunedError(key);
    this.#restore(decodeRecords(journal), restores);
    this.remove(tables.journal, last);
    this.#lastKnown = false;
  }

  /**
   * Removes rows of a table, the lowest keys first, and leaves the journal as it is: `amendUnit` brings both up to
   * date again.
   * @param limit at most so many rows, to spread the work of a large table
   * @param prefix only rows whose keys begin so
   * @returns number of rows removed
   * @throws UnitOrderError while a unit is open
   */
  clearTable(table: AnyTable, limit = Number.POSITIVE_INFINITY, prefix?: Uint8Array): number {
    this.#checkNoUnit();
    const keys: Uint8Array[] = [];
    for (const [key] of this.scan(table, { from: prefix, to: prefix && afterPrefix(prefix) })) {
      if (keys.length >= limit) break;
      keys.push(key);
    }
    for (const key of keys) super.write(table, key, undefined, true);
    return keys.length;
  }

  /**
   * Does a part of a closed unit once more: `writing` writes to `rewritten`, tables and counters which were cleared before
   * and are filled again unit by unit, and the journal of the unit, where it is still kept, will undo that and no longer
   * what the unit did to these at first.
   * @throws UnitOrderError while a unit is open, or when `writing` changes other tables
   */
  amendUnit(key: UnitKey, rewritten: readonly Undoable[], writing: () => void): void {
    this.#checkNoUnit();
    this.#unit = key;
    this.#serial++;
    writing();
    const { records } = this.#close();
    const prefixes = new Set(rewritten.map(({ prefix }) => prefix));
    for (const prefix of records.keys()) {
      const name = tableOf.get(prefix)?.name ?? counterOf.get(prefix)?.name;
      if (!prefixes.has(prefix)) throw new UnitOrderError(`Table ${name} is not one of those written anew`);
    }
    const journal = this.get(tables.journal, key);
    if (journal === undefined) return;
    const all = decodeRecords(journal);
    let changed = records.size > 0;
    for (const prefix of prefixes) if (all.delete(prefix)) changed = true;
    for (const [prefix, changes] of records) all.set(prefix, changes);
    if (changed) this.put(tables.journal, key, encodeRecords(all));
  }

  /**
   * Drops the journal of blocks at and below a height: they can no longer be undone.
   * @param limit at most so many units, to spread the work of a first pruning
   * @returns number of units dropped
   */
  pruneJournal(height: number, limit = Number.POSITIVE_INFINITY): number {
    const old: UnitKey[] = [];
    for (const [key] of this.range(tables.journal, { to: { height: height + 1, sequence: 0 }, limit }))
      old.push(key);
    for (const key of old) this.remove(tables.journal, key);
    this.#lastKnown = false;
    return old.length;
  }

  override find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    const text = bytesKey(key);
    const row = this.layers[table.prefix]?.rows.get(text);
    if (row !== undefined) return row.value as V | undefined;
    if (!table.journaled) return this.#source.find(table, key);
    // Kept, absence too: what is read is often written next, and then its previous value is asked for.
    return this.#load(this.layerOf(table), text, key).value as V | undefined;
  }

  override discard(): void {
    super.discard();
    this.#unit = undefined;
    this.#records = new Map();
    this.#counts = new Map();
    this.#lastKnown = false;
  }

  override addCount(counter: Counter, key: Uint8Array, label: number, count: number): void {
    if (this.#unit === undefined) throw outsideUnit(counter);
    getOrInsert(this.#counts, counter, () => new CountBuffer()).add(key, label, count);
    super.addCount(counter, key, label, count);
  }

  /** Makes rows of all that was added to counters: to be called once for each commit, and only then are they read. */
  flushCounts(): void {
    for (const [{ tree }, counts] of this.counted) flushMemtable(this, tree.id, counts);
    this.counted.clear();
  }

  /** Entries that the commit adds, by tree id. */
  *memtables(): Generator<[number, Memtable]> {
    for (let id = 0; id < this.memtableOf.length; id++) {
      const memtable = this.memtableOf[id];
      if (memtable !== undefined) yield [id, memtable];
    }
  }

  /** Rows that differ from the store, by table and key; `value` undefined: the row goes. */
  *changes(): Generator<{
    readonly table: AnyTable;
    readonly key: Uint8Array;
    readonly value: Uint8Array | undefined;
  }> {
    for (const layer of this.layers) {
      if (layer === undefined) continue;
      const { table, rows } = layer;
      const changed = [...rows].filter(([, row]) => row.changed);
      changed.sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
      for (const [, row] of changed) yield { table, key: row.key, value: encodedValue(table, row) };
    }
  }

  protected override write<K, V>(
    table: Table<K, V>,
    key: Uint8Array,
    value: V | undefined,
    lookUp: boolean,
  ): void {
    if (!table.journaled) {
      super.write(table, key, value, lookUp);
      return;
    }
    if (this.#unit === undefined) throw outsideUnit(table);
    const layer = this.layerOf(table);
    const text = bytesKey(key);
    if (lookUp) {
      const row = layer.rows.get(text) ?? this.#load(layer, text, key);
      if (row.recordedIn !== this.#serial) this.#record(layer.table, row);
      this.assign(layer, row, text, value);
      return;
    }
    super.write(table, key, value, false);
    const row = layer.rows.get(text);
    if (row !== undefined && row.recordedIn !== this.#serial) {
      row.recordedIn = this.#serial;
      this.#append(table.prefix, row.key, undefined);
    }
  }

  /** Reads a row from the store into the layer. */
  #load(layer: Layer, text: string, key: Uint8Array): Row {
    const encoded = this.#source.bytes(layer.table, key);
    const value = encoded && layer.table.value.decode(encoded);
    const row: Row = { key, value, encoded, changed: false, recordedIn: 0 };
    layer.rows.set(text, row);
    return row;
  }

  #record(table: AnyTable, row: Row): void {
    row.recordedIn = this.#serial;
    this.#append(table.prefix, row.key, encodedValue(table, row));
  }

  #append(prefix: number, key: Uint8Array, previous: Uint8Array | undefined): void {
    const records = getOrInsert(this.#records, prefix, () => ({ keys: [], previous: [] }));
    records.keys.push(key);
    records.previous.push(previous);
  }

  #checkNoUnit(): void {
    if (this.#unit !== undefined) throw new UnitOrderError(`Unit ${unitText(this.#unit)} is still open`);
  }

  #close(): { readonly unit: UnitKey; readonly records: Map<number, Records> } {
    const unit = this.#unit;
    if (unit === undefined) throw new UnitOrderError("No unit is open");
    for (const [{ prefix }, counts] of this.#counts) this.#append(prefix, NO_KEY, counts.toBytes());
    const records = this.#records;
    this.#unit = undefined;
    this.#records = new Map();
    this.#counts.clear();
    return { unit, records };
  }

  #restore(all: ReadonlyMap<number, Records>, restores: (table: Undoable) => boolean = () => true): void {
    for (const [prefix, { keys, previous }] of all) {
      const counter = counterOf.get(prefix);
      if (counter !== undefined) {
        for (const bytes of previous)
          if (bytes !== undefined && restores(counter)) this.countsFor(counter).subtract(bytes);
        continue;
      }
      const table = tableOf.get(prefix);
      if (table === undefined)
        throw new UnitOrderError(`The journal names an unknown table, prefix ${prefix}`);
      if (!restores(table)) continue;
      const layer = this.layerOf(table);
      for (let i = 0; i < keys.length; i++) {
        const text = bytesKey(keys[i]);
        const row = this.rowOf(layer, text, keys[i]);
        const encoded = previous[i];
        this.assign(layer, row, text, encoded && table.value.decode(encoded));
        row.encoded = encoded;
      }
    }
  }
}

/** Every table of the store. */
export const allTables: readonly AnyTable[] = Object.values(tables) as unknown as readonly AnyTable[];

/** By prefix, which the journal names them by. */
const tableOf: ReadonlyMap<number, AnyTable> = new Map(allTables.map((table) => [table.prefix, table]));

/** The counters by prefix, in the same way. */
const counterOf: ReadonlyMap<number, Counter> = new Map(
  Object.values(counters).map((counter) => [counter.prefix, counter]),
);

/** What the journal undoes: rows of a table, or what was added to a counter. */
export type Undoable = Pick<AnyTable, "name" | "prefix">;

/** The journal has one record for all that a unit added to a counter. */
const NO_KEY = new Uint8Array(0);

function outsideUnit({ name }: Undoable): UnitOrderError {
  return new UnitOrderError(`Table ${name} is journaled: it changes inside a unit only`);
}

function encodedValue(table: AnyTable, row: Row): Uint8Array | undefined {
  if (row.value === undefined) return undefined;
  row.encoded ??= table.value.encode(row.value);
  return row.encoded;
}

function unitText({ height, sequence }: UnitKey): string {
  return `${height}/${sequence}`;
}

/** A write batch over a state that is only read, to try things out on: it is never committed. */
export function scratchBatch(reader: Reader): WriteBatch {
  return new WriteBatch(new EncodingSource(reader));
}
