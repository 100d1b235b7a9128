import { compareBytes } from "../bytes/compare.ts";
import type { Counter, CountReader, CountWriter } from "./lsm/counter.ts";
import type { EntryReader, EntryWriter, LsmTree } from "./lsm/tree.ts";
import type { Place } from "./places.ts";

export interface KeyCodec<K> {
  encode(key: K): Uint8Array;
  decode(bytes: Uint8Array): K;
}

/** A value may share memory with its encoded bytes: do not change the bytes. */
export interface ValueCodec<V> {
  encode(value: V): Uint8Array;
  decode(bytes: Uint8Array): V;
}

/** Values are immutable: to change a row, put a new object. */
export interface Table<K, V> {
  readonly name: string;
  /** First byte of every key, 1-255, unique. */
  readonly prefix: number;
  readonly key: KeyCodec<K>;
  readonly value: ValueCodec<V>;
  /** True if undoing a unit restores the rows. */
  readonly journaled: boolean;
}

/** `from` is inclusive and `to` exclusive, also if `reverse` is true. */
export interface RangeOptions<K> {
  readonly prefix?: Uint8Array;
  readonly from?: K;
  readonly to?: K;
  readonly reverse?: boolean;
  readonly limit?: number;
}

/** Like `RangeOptions`, with encoded keys. */
export interface Bounds {
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | undefined;
  readonly reverse?: boolean | undefined;
}

/** `find` and `scan` use encoded keys. `range` and `scan` may miss rows that are added during the iteration. */
export interface Reader extends EntryReader, CountReader {
  get<K, V>(table: Table<K, V>, key: K): V | undefined;
  /**
   * Reads a part of a value. This is faster than `get`, because the bytes of the value need no buffer of their own.
   * @param pick receives the value, which is valid only during the call. It must copy the bytes that it returns
   * @returns what `pick` returned; undefined if there is no row
   */
  peek<K, V, P>(table: Table<K, V>, key: K, pick: (value: V) => P): P | undefined;
  range<K, V>(table: Table<K, V>, options?: RangeOptions<K>): Iterable<[K, V]>;
  find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined;
  scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]>;
}

/** A row, found once: its reads and writes need no lookup by key. Valid until its writer commits or discards. */
export interface RowHandle<V> {
  /** Undefined: there is no row. */
  readonly value: V | undefined;
}

export interface Writer extends Reader, EntryWriter, CountWriter {
  put<K, V>(table: Table<K, V>, key: K, value: V): void;
  /** Finds a row, whether it exists or not. */
  open<K, V>(table: Table<K, V>, key: K): RowHandle<V>;
  /** Like `put`. @param row a row that this writer opened in the same table */
  putOpened<K, V>(table: Table<K, V>, row: RowHandle<V>, value: V): void;
  remove<K, V>(table: Table<K, V>, key: K): void;
  /**
   * Adds a row without checking that its key is absent. Use it only for keys that contain the height and position of
   * the write.
   * @throws DuplicateKeyError if this writer already has the row
   */
  insert<K, V>(table: Table<K, V>, key: K, value: V): void;
}

/** `insert` was called for an existing row: the journal would not have the previous value. */
export class DuplicateKeyError extends Error {
  override readonly name = "DuplicateKeyError";
  constructor(table: string) {
    super(`A row of table ${table} was inserted twice`);
  }
}

/** Returns the smallest key above all keys with the prefix, if there is one. */
export function afterPrefix(prefix: Uint8Array): Uint8Array | undefined {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end--;
  if (end === 0) return undefined;
  // Not `slice`: keys read from the store are Buffers, whose `slice` returns a view.
  const next = Uint8Array.from(prefix.subarray(0, end));
  next[end - 1] = next[end - 1] + 1;
  return next;
}

function boundsOf<K, V>(table: Table<K, V>, options: RangeOptions<K>): Bounds {
  let from = options.from === undefined ? undefined : table.key.encode(options.from);
  let to = options.to === undefined ? undefined : table.key.encode(options.to);
  if (options.prefix !== undefined && options.prefix.length > 0) {
    const end = afterPrefix(options.prefix);
    if (from === undefined || compareBytes(from, options.prefix) < 0) from = options.prefix;
    if (end !== undefined && (to === undefined || compareBytes(to, end) > 0)) to = end;
  }
  return { from, to, reverse: options.reverse };
}

export abstract class TableReader implements Reader {
  abstract find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined;
  abstract scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]>;

  abstract findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place>;
  abstract findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place>;

  abstract countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number>;

  get<K, V>(table: Table<K, V>, key: K): V | undefined {
    return this.find(table, table.key.encode(key));
  }

  peek<K, V, P>(table: Table<K, V>, key: K, pick: (value: V) => P): P | undefined {
    const value = this.get(table, key);
    return value === undefined ? undefined : pick(value);
  }

  *range<K, V>(table: Table<K, V>, options: RangeOptions<K> = {}): Generator<[K, V]> {
    let remaining = options.limit ?? Number.POSITIVE_INFINITY;
    if (remaining <= 0) return;
    for (const [key, value] of this.scan(table, boundsOf(table, options))) {
      yield [table.key.decode(key), value];
      if (--remaining <= 0) return;
    }
  }
}

/** Forwards each read to the reader that `source` returns. */
export abstract class DelegatingReader extends TableReader {
  protected abstract source(): Reader;

  find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    return this.source().find(table, key);
  }

  override peek<K, V, P>(table: Table<K, V>, key: K, pick: (value: V) => P): P | undefined {
    return this.source().peek(table, key, pick);
  }

  scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]> {
    return this.source().scan(table, bounds);
  }

  findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place> {
    return this.source().findEntries(tree, tag, below);
  }

  findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place> {
    return this.source().findEntriesAscending(tree, tag);
  }

  countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number> {
    return this.source().countsOf(counter, key);
  }
}
