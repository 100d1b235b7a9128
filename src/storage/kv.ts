/**
 * Typed tables over ordered binary keys: what every part above the ledger reads and writes through.
 * No database here: `store.ts` puts LMDB under it, `overlay.ts` plain memory.
 */

import { compareBytes } from "../bytes/compare.ts";
import type { Counter, CountReader, CountWriter } from "./lsm/counter.ts";
import type { EntryReader, EntryWriter, LsmTree } from "./lsm/tree.ts";
import type { Place } from "./places.ts";

/** Turns a key into bytes whose lexicographic order is the order of the table, and back. */
export interface KeyCodec<K> {
  encode(key: K): Uint8Array;
  decode(bytes: Uint8Array): K;
}

/** Turns a value into compact bytes, and back. Nobody changes such bytes afterwards: either side may keep them. */
export interface ValueCodec<V> {
  encode(value: V): Uint8Array;
  decode(bytes: Uint8Array): V;
}

/**
 * A table. Values are immutable: whoever changes a row puts a new object, since layers keep what they
 * are given without copying it.
 */
export interface Table<K, V> {
  readonly name: string;
  /** First byte of every key of this table in the store; one of its own for each table, 1-255. */
  readonly prefix: number;
  readonly key: KeyCodec<K>;
  readonly value: ValueCodec<V>;
  /** Whether the undo journal restores the rows of this table when a unit is undone. */
  readonly journaled: boolean;
}

/** Which rows of a table, and in which order. Bounds do not depend on the direction. */
export interface RangeOptions<K> {
  /** Only keys whose encoded form starts with these bytes, for example an address. */
  readonly prefix?: Uint8Array;
  /** Lowest key, inclusive. */
  readonly from?: K;
  /** Highest key, exclusive. */
  readonly to?: K;
  /** From the highest key down. */
  readonly reverse?: boolean;
  /** At most so many rows. */
  readonly limit?: number;
}

/** Bounds in encoded keys: `from` inclusive, `to` exclusive. */
export interface Bounds {
  readonly from?: Uint8Array | undefined;
  readonly to?: Uint8Array | undefined;
  readonly reverse?: boolean | undefined;
}

/**
 * One consistent state of all tables. `find` and `scan` are the encoded forms of `get` and `range`. Where rows
 * may change during a walk, it goes on in order; a row added right ahead of it may be missed.
 */
export interface Reader extends EntryReader, CountReader {
  get<K, V>(table: Table<K, V>, key: K): V | undefined;
  range<K, V>(table: Table<K, V>, options?: RangeOptions<K>): Iterable<[K, V]>;
  find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined;
  scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]>;
}

export interface Writer extends Reader, EntryWriter, CountWriter {
  put<K, V>(table: Table<K, V>, key: K, value: V): void;
  remove<K, V>(table: Table<K, V>, key: K): void;
  /**
   * Puts a row whose key is known to be absent, which saves the look-up of the previous value. Only for
   * keys that hold the height and position at which they were written: undoing removes the row.
   * @throws DuplicateKeyError when the row was already written in this layer
   */
  insert<K, V>(table: Table<K, V>, key: K, value: V): void;
}

/** `insert` met a row: a fault of the caller, since undoing would lose the older value. */
export class DuplicateKeyError extends Error {
  override readonly name = "DuplicateKeyError";
  constructor(table: string) {
    super(`A row of table ${table} was inserted twice`);
  }
}

/** The smallest key above all keys that start with `prefix`; undefined when there is none. */
export function afterPrefix(prefix: Uint8Array): Uint8Array | undefined {
  let end = prefix.length;
  while (end > 0 && prefix[end - 1] === 0xff) end--;
  if (end === 0) return undefined;
  // Not `slice`: of a Buffer, which keys read from the store are, that would be a view.
  const next = Uint8Array.from(prefix.subarray(0, end));
  next[end - 1] = next[end - 1] + 1;
  return next;
}

/** The encoded bounds that `options` mean for `table`. */
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

/** Derives `get` and `range` from their encoded forms. */
export abstract class TableReader implements Reader {
  abstract find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined;
  abstract scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]>;

  abstract findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place>;
  abstract findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place>;

  abstract countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number>;

  get<K, V>(table: Table<K, V>, key: K): V | undefined {
    return this.find(table, table.key.encode(key));
  }

  *range<K, V>(table: Table<K, V>, options: RangeOptions<K> = {}): Generator<[K, V]> {
    let left = options.limit ?? Number.POSITIVE_INFINITY;
    if (left <= 0) return;
    for (const [key, value] of this.scan(table, boundsOf(table, options))) {
      yield [table.key.decode(key), value];
      if (--left <= 0) return;
    }
  }
}

/** Reads through another reader, which may be another one at each call. */
export abstract class DelegatingReader extends TableReader {
  protected abstract source(): Reader;

  find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    return this.source().find(table, key);
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
