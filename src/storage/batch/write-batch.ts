import { bytesKey } from "../../bytes/compare.ts";
import { sortedByKey } from "../../bytes/sort.ts";
import { getOrInsert } from "../../collections/get-or-insert.ts";
import { CountBuffer } from "../counters.ts";
import {
  afterPrefix,
  DelegatingReader,
  DuplicateKeyError,
  type Reader,
  type RowHandle,
  type Table,
} from "../kv.ts";
import { flushMemtable } from "../lsm/compaction.ts";
import type { Counter } from "../lsm/counter.ts";
import type { Memtable } from "../lsm/memtable.ts";
import { isAfter, type UnitKey } from "../places.ts";
import { counters, tables } from "../tables.ts";
import { decodeRecords, encodeRecords, type Records } from "./journal-records.ts";
import { type AnyTable, type Layer, Overlay, type Row } from "./overlay.ts";
import { pageFillingOrder } from "./page-filling-order.ts";
import { unitDigest } from "./unit-digest.ts";

/** Sequence of a unit that only persists a block, after a rollback or an import (page 05 §23.8). */
export const PERSIST_SEQUENCE = 0xffff;

export class UnitOrderError extends Error {
  override readonly name = "UnitOrderError";
}

export class JournalPrunedError extends Error {
  override readonly name = "JournalPrunedError";
  readonly unit: UnitKey;
  constructor(unit: UnitKey) {
    super(`Cannot undo block ${unit.height}: the undo journal no longer has it`);
    this.unit = unit;
  }
}

export interface WriteBatchSource extends Reader {
  /** Returns the encoded value of a row. */
  bytes(table: AnyTable, key: Uint8Array): Uint8Array | undefined;
}

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

/** Records of the open unit. `rows` are those of the keys; counters have none. */
interface UnitRecords extends Records {
  readonly rows: Row[];
}

/** A pending commit: changes in memory, grouped into units. Journaled tables only change inside a unit. */
export class WriteBatch extends Overlay {
  readonly #source: WriteBatchSource;
  #unitSerial = 0;
  #openUnit: UnitKey | undefined;
  #records = new Map<number, UnitRecords>();
  #counts = new Map<Counter, CountBuffer>();
  #lastUnit: UnitKey | undefined;
  #isLastKnown = false;
  #endedUnits = 0;

  constructor(source: WriteBatchSource) {
    super(source);
    this.#source = source;
  }

  /** The newest unit, which is the only one that can be undone. */
  get lastUnit(): UnitKey | undefined {
    if (!this.#isLastKnown) {
      this.#lastUnit = undefined;
      for (const [key] of this.range(tables.journal, { reverse: true, limit: 1 })) this.#lastUnit = key;
      this.#isLastKnown = true;
    }
    return this.#lastUnit;
  }

  get unitCount(): number {
    return this.#endedUnits;
  }

  get openUnit(): UnitKey | undefined {
    return this.#openUnit;
  }

  /** @throws UnitOrderError if a unit is open, or if `key` is not after the newest unit */
  beginUnit(key: UnitKey): void {
    this.#checkNoOpenUnit();
    const last = this.lastUnit;
    if (last !== undefined && !isAfter(key, last)) {
      throw new UnitOrderError(`Unit ${unitText(key)} does not come after unit ${unitText(last)}`);
    }
    this.#openUnit = key;
    this.#unitSerial++;
  }

  /** Writes the unit's digest, and its rows' previous values as one journal row. */
  endUnit(): void {
    const { unit, records } = this.#closeUnit();
    this.insert(
      tables.unitDigests,
      unit,
      unitDigest(records, (prefix, row) => {
        const table = this.layers[prefix]?.table;
        return table && encodedValue(table, row);
      }),
    );
    this.insert(tables.journal, unit, encodeRecords(records));
    this.#lastUnit = unit;
    this.#isLastKnown = true;
    this.#endedUnits++;
  }

  abandonUnit(): void {
    this.#restoreRows(this.#closeUnit().records);
  }

  /**
   * Restores the previous value of every row that the newest unit changed.
   * @param shouldRestore selects the tables and counters to restore; default: all
   * @throws UnitOrderError if a unit is open, or if `key` is not the newest unit
   * @throws JournalPrunedError if the journal no longer has the unit
   */
  undoUnit(key: UnitKey, shouldRestore?: (table: JournaledTable) => boolean): void {
    this.#checkNoOpenUnit();
    const last = this.lastUnit;
    if (last === undefined || isAfter(key, last)) throw new JournalPrunedError(key);
    if (isAfter(last, key)) {
      throw new UnitOrderError(`Unit ${unitText(key)} cannot be undone before unit ${unitText(last)}`);
    }
    const journal = this.get(tables.journal, last);
    if (journal === undefined) throw new JournalPrunedError(key);
    this.#restoreRows(decodeRecords(journal), shouldRestore);
    this.remove(tables.journal, last);
    this.remove(tables.unitDigests, last);
    this.#isLastKnown = false;
  }

  /**
   * Removes rows of a table, lowest keys first, without updating the journal. Returns their number.
   * @throws UnitOrderError if a unit is open
   */
  clearTable(table: AnyTable, limit = Number.POSITIVE_INFINITY, prefix?: Uint8Array): number {
    this.#checkNoOpenUnit();
    const keys: Uint8Array[] = [];
    for (const [key] of this.scan(table, { from: prefix, to: prefix && afterPrefix(prefix) })) {
      if (keys.length >= limit) break;
      keys.push(key);
    }
    for (const key of keys) super.write(table, key, undefined, true);
    return keys.length;
  }

  /**
   * In the journal of a closed unit, replaces the records of the tables and counters in `rewritten`.
   * @param writing writes the unit's rows again to these tables, which the caller has cleared
   * @throws UnitOrderError if a unit is open, or if `writing` changes other tables
   */
  amendUnit(key: UnitKey, rewritten: readonly JournaledTable[], writing: () => void): void {
    this.#checkNoOpenUnit();
    this.#openUnit = key;
    this.#unitSerial++;
    writing();
    const { records } = this.#closeUnit();
    const prefixes = new Set(rewritten.map(({ prefix }) => prefix));
    for (const prefix of records.keys()) {
      const name = tableByPrefix.get(prefix)?.name ?? counterByPrefix.get(prefix)?.name;
      if (!prefixes.has(prefix)) throw new UnitOrderError(`amendUnit cannot change table ${name}`);
    }
    const journal = this.get(tables.journal, key);
    if (journal === undefined) return;
    const recordsByPrefix = decodeRecords(journal);
    let changed = records.size > 0;
    for (const prefix of prefixes) if (recordsByPrefix.delete(prefix)) changed = true;
    for (const [prefix, changes] of records) recordsByPrefix.set(prefix, changes);
    if (changed) this.put(tables.journal, key, encodeRecords(recordsByPrefix));
  }

  /** Makes units up to `height` permanent. Returns their number. */
  pruneJournal(height: number, limit = Number.POSITIVE_INFINITY): number {
    const old: UnitKey[] = [];
    for (const [key] of this.range(tables.journal, { to: { height: height + 1, sequence: 0 }, limit }))
      old.push(key);
    for (const key of old) this.remove(tables.journal, key);
    this.#isLastKnown = false;
    return old.length;
  }

  override find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    const keyText = bytesKey(key);
    const row = this.layers[table.prefix]?.rows.get(keyText);
    if (row !== undefined) return row.value as V | undefined;
    if (!table.journaled) return this.#source.find(table, key);
    return this.#loadRow(this.layerOf(table), keyText, key).value as V | undefined;
  }

  override putOpened<K, V>(table: Table<K, V>, row: RowHandle<V>, value: V): void {
    // `open` returned the row.
    if (table.journaled) {
      this.#assertInUnit(table);
      this.#recordOnce(this.layerOf(table).table, row as Row);
    }
    super.putOpened(table, row, value);
  }

  override discard(): void {
    super.discard();
    this.#openUnit = undefined;
    this.#records = new Map();
    this.#counts = new Map();
    this.#isLastKnown = false;
  }

  override addCount(counter: Counter, key: Uint8Array, label: number, count: number): void {
    this.#assertInUnit(counter);
    getOrInsert(this.#counts, counter, () => new CountBuffer()).add(key, label, count);
    super.addCount(counter, key, label, count);
  }

  /** Makes the added counts readable. Call it once per commit. */
  flushCounts(): void {
    for (const [{ tree }, counts] of this.addedCounts) flushMemtable(this, tree.id, counts);
    this.addedCounts.clear();
  }

  *memtables(): Generator<[number, Memtable]> {
    for (let id = 0; id < this.memtableById.length; id++) {
      const memtable = this.memtableById[id];
      if (memtable !== undefined) yield [id, memtable];
    }
  }

  /** Yields the changed rows by table. `value` is undefined for a removed row. */
  *changes(): Generator<{
    readonly table: AnyTable;
    readonly key: Uint8Array;
    readonly value: Uint8Array | undefined;
  }> {
    for (const layer of this.layers) {
      if (layer === undefined) continue;
      const { table, rows } = layer;
      const changed: Row[] = [];
      // A row that was added and removed again is not in the store: most journal rows of an import's commit.
      for (const row of rows.values())
        if (row.changed && (row.value !== undefined || !row.isNew)) changed.push(row);
      const size = (row: Row): number => row.key.length + (encodedValue(table, row)?.length ?? 0);
      for (const row of pageFillingOrder(sortedByKey(changed), size))
        yield { table, key: row.key, value: encodedValue(table, row) };
    }
  }

  protected override write<K, V>(
    table: Table<K, V>,
    key: Uint8Array,
    value: V | undefined,
    mayExist: boolean,
  ): void {
    if (!table.journaled) {
      super.write(table, key, value, mayExist);
      return;
    }
    this.#assertInUnit(table);
    const layer = this.layerOf(table);
    const keyText = bytesKey(key);
    const row = mayExist ? this.openRow(layer, keyText, key) : this.rowOf(layer, keyText, key, true);
    if (!mayExist && row.value !== undefined) throw new DuplicateKeyError(table.name);
    this.#recordOnce(layer.table, row);
    this.assign(layer, row, value);
  }

  protected override openRow(layer: Layer, keyText: string, key: Uint8Array): Row {
    return layer.rows.get(keyText) ?? this.#loadRow(layer, keyText, key);
  }

  #loadRow(layer: Layer, keyText: string, key: Uint8Array): Row {
    const encoded = this.#source.bytes(layer.table, key);
    const value = encoded && layer.table.value.decode(encoded);
    const row: Row = { key, value, encoded, changed: false, isNew: false, recordedIn: 0 };
    layer.rows.set(keyText, row);
    return row;
  }

  /** Records the row's previous value, unless the open unit has done so. */
  #recordOnce(table: AnyTable, row: Row): void {
    if (row.recordedIn === this.#unitSerial) return;
    row.recordedIn = this.#unitSerial;
    const records = this.#recordsOf(table.prefix);
    records.rows.push(row);
    records.keys.push(row.key);
    records.previous.push(encodedValue(table, row));
  }

  #recordsOf(prefix: number): UnitRecords {
    let records = this.#records.get(prefix);
    if (records === undefined) {
      records = { rows: [], keys: [], previous: [] };
      this.#records.set(prefix, records);
    }
    return records;
  }

  #assertInUnit(table: JournaledTable): void {
    if (this.#openUnit === undefined)
      throw new UnitOrderError(`Table ${table.name} is journaled: change it inside a unit`);
  }

  #checkNoOpenUnit(): void {
    if (this.#openUnit !== undefined)
      throw new UnitOrderError(`Unit ${unitText(this.#openUnit)} is still open`);
  }

  #closeUnit(): { readonly unit: UnitKey; readonly records: Map<number, UnitRecords> } {
    const unit = this.#openUnit;
    if (unit === undefined) throw new UnitOrderError("No unit is open");
    for (const [{ prefix }, counts] of this.#counts) {
      const { keys, previous } = this.#recordsOf(prefix);
      keys.push(NO_KEY);
      previous.push(counts.toBytes());
    }
    const records = this.#records;
    this.#openUnit = undefined;
    this.#records = new Map();
    this.#counts.clear();
    return { unit, records };
  }

  #restoreRows(
    recordsByPrefix: ReadonlyMap<number, Records>,
    shouldRestore: (table: JournaledTable) => boolean = () => true,
  ): void {
    for (const [prefix, { keys, previous }] of recordsByPrefix) {
      const counter = counterByPrefix.get(prefix);
      if (counter !== undefined) {
        for (const bytes of previous)
          if (bytes !== undefined && shouldRestore(counter)) this.countsFor(counter).subtract(bytes);
        continue;
      }
      const table = tableByPrefix.get(prefix);
      if (table === undefined)
        throw new UnitOrderError(`The journal refers to an unknown table with prefix ${prefix}`);
      if (!shouldRestore(table)) continue;
      const layer = this.layerOf(table);
      for (let i = 0; i < keys.length; i++) {
        const keyText = bytesKey(keys[i]);
        const row = this.rowOf(layer, keyText, keys[i]);
        const encoded = previous[i];
        this.assign(layer, row, encoded && table.value.decode(encoded));
        row.encoded = encoded;
      }
    }
  }
}

export const allTables: readonly AnyTable[] = Object.values(tables) as unknown as readonly AnyTable[];

const tableByPrefix: ReadonlyMap<number, AnyTable> = new Map(allTables.map((table) => [table.prefix, table]));

const counterByPrefix: ReadonlyMap<number, Counter> = new Map(
  Object.values(counters).map((counter) => [counter.prefix, counter]),
);

export type JournaledTable = Pick<AnyTable, "name" | "prefix">;

const NO_KEY = new Uint8Array(0);

function encodedValue(table: AnyTable, row: Row): Uint8Array | undefined {
  if (row.value === undefined) return undefined;
  row.encoded ??= table.value.encode(row.value);
  return row.encoded;
}

function unitText({ height, sequence }: UnitKey): string {
  return `${height}/${sequence}`;
}

export function scratchBatch(reader: Reader): WriteBatch {
  return new WriteBatch(new EncodingSource(reader));
}
