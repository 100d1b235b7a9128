import { open, type RootDatabase } from "lmdb";
import type { WriteBatchSource } from "../batch/write-batch.ts";
import { StoreStateError } from "../batch/write-slot.ts";
import { sumCounts } from "../counters.ts";
import { type Bounds, type Table, TableReader } from "../kv.ts";
import type { Counter } from "../lsm/counter.ts";
import { FencePointers } from "../lsm/fence-pointers.ts";
import { findInRuns, findInRunsAscending } from "../lsm/lookup.ts";
import type { LsmTree } from "../lsm/tree.ts";
import type { Place } from "../places.ts";

export type Database = RootDatabase<Uint8Array, Uint8Array>;

/** Reserved address space, bytes. Some arm64 kernels only give 2^39 bytes. */
const MAP_SIZE = process.arch === "arm64" ? 2 ** 36 : 2 ** 40;
const MAX_READERS = 256;
/** Includes the table prefix. */
const MAX_KEY_BYTES = 1_978;

export function openDatabase(path: string, readOnly: boolean): Database {
  return open({
    path,
    noSubdir: true,
    keyEncoding: "binary",
    encoding: "binary",
    // With batching, a failed commit rejects an internal promise of lmdb. This unhandled rejection ends the process.
    eventTurnBatching: false,
    mapSize: MAP_SIZE,
    maxReaders: MAX_READERS,
    readOnly,
  });
}

/** Longer values get their own copy. */
const SCRATCH_BYTES = 2 ** 20;

/** Has one value at a time, for `peek`. Created at the first use. */
let scratch: Uint8Array | undefined;
let isScratchUsed = false;

/**
 * Copies a value out of lmdb's buffer. Uses the scratch buffer if it is free, because allocating and collecting a buffer
 * for each value costs more than reading the value.
 */
function copyValue(db: Database, key: Uint8Array, options: object): Uint8Array | undefined {
  // `getBinaryFast` accepts options that its type declaration lacks. It returns lmdb's buffer, with the value's length.
  const getBinaryFast = db.getBinaryFast as (id: Uint8Array, options?: object) => Buffer | undefined;
  const value = getBinaryFast.call(db, key, options);
  if (value === undefined) return undefined;
  const { length } = value;
  const view = new Uint8Array(value.buffer, value.byteOffset, length);
  if (isScratchUsed || length > SCRATCH_BYTES) return view.slice();
  scratch ??= new Uint8Array(SCRATCH_BYTES);
  scratch.set(view);
  return scratch.subarray(0, length);
}

type ReadTransaction = ReturnType<Database["useReadTransaction"]>;

/** Reads the newest commit, or the commit that `transaction` sees. */
export class LmdbReader extends TableReader implements WriteBatchSource {
  protected readonly db: Database;
  protected readonly fences: FencePointers;
  protected readonly options: { readonly transaction?: ReadTransaction };

  constructor(db: Database, fences = new FencePointers(), transaction?: ReadTransaction) {
    super();
    this.db = db;
    this.fences = fences;
    this.options = transaction === undefined ? {} : { transaction };
  }

  bytes<K, V>(table: Table<K, V>, key: Uint8Array): Uint8Array | undefined {
    this.checkOpen();
    // LMDB throws on longer keys, and no such row exists.
    if (key.length >= MAX_KEY_BYTES) return undefined;
    // `getBinary` accepts options that its type declaration lacks.
    const getBinary = this.db.getBinary as (id: Uint8Array, options?: object) => Buffer | undefined;
    return getBinary.call(this.db, rowKey(table, key), this.options);
  }

  find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    const bytes = this.bytes(table, key);
    return bytes && table.value.decode(bytes);
  }

  override peek<K, V, P>(table: Table<K, V>, key: K, pick: (value: V) => P): P | undefined {
    this.checkOpen();
    const encodedKey = table.key.encode(key);
    if (encodedKey.length >= MAX_KEY_BYTES) return undefined;
    const bytes = copyValue(this.db, rowKey(table, encodedKey), this.options);
    if (bytes === undefined) return undefined;
    const isNested = isScratchUsed;
    isScratchUsed = true;
    try {
      return pick(table.value.decode(bytes));
    } finally {
      isScratchUsed = isNested;
    }
  }

  /** @throws StoreStateError if the reader is closed */
  protected checkOpen(): void {}

  *scan<K, V>(table: Table<K, V>, { from, to, reverse }: Bounds): Generator<[Uint8Array, V]> {
    this.checkOpen();
    const low = from === undefined ? Uint8Array.of(table.prefix) : rowKey(table, from);
    const high = to === undefined ? Uint8Array.of(table.prefix + 1) : rowKey(table, to);
    const range = reverse
      ? { start: high, exclusiveStart: true, end: low, inclusiveEnd: true, reverse }
      : { start: low, end: high };
    for (const { key, value } of this.db.getRange({ ...range, ...this.options })) {
      yield [key.subarray(1), table.value.decode(value)];
      this.checkOpen();
    }
  }

  findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place> {
    return findInRuns(this, this.fences, tree.id, tag, below);
  }

  findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place> {
    return findInRunsAscending(this, this.fences, tree.id, tag);
  }

  countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number> {
    return sumCounts(this, this.fences, counter, key);
  }
}

export class LmdbSnapshot extends LmdbReader {
  #transaction: ReadTransaction | undefined;

  constructor(db: Database, fences: FencePointers) {
    // Without this, lmdb may use a transaction older than the newest commit.
    db.resetReadTxn();
    const transaction = db.useReadTransaction();
    super(db, fences, transaction);
    this.#transaction = transaction;
  }

  close(): void {
    this.#transaction?.done();
    this.#transaction = undefined;
  }

  protected override checkOpen(): void {
    if (this.#transaction === undefined) throw new StoreStateError("The snapshot is closed");
  }
}

export function rowKey<K, V>(table: Table<K, V>, key: Uint8Array): Uint8Array {
  const out = new Uint8Array(key.length + 1);
  out[0] = table.prefix;
  out.set(key, 1);
  return out;
}
