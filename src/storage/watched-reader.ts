import type { Bounds, RangeOptions, Reader, Table } from "./kv.ts";
import type { Counter } from "./lsm/counter.ts";
import type { LsmTree } from "./lsm/tree.ts";
import type { Place } from "./places.ts";

/**
 * A reader that calls `look` before each row it gives: whoever reads for longer than he may is stopped by what `look`
 * throws, however the code between walks.
 */
export class WatchedReader implements Reader {
  constructor(
    private readonly reader: Reader,
    private readonly look: () => void,
  ) {}

  get<K, V>(table: Table<K, V>, key: K): V | undefined {
    this.look();
    return this.reader.get(table, key);
  }

  find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    this.look();
    return this.reader.find(table, key);
  }

  range<K, V>(table: Table<K, V>, options?: RangeOptions<K>): Iterable<[K, V]> {
    return this.watched(this.reader.range(table, options));
  }

  scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]> {
    return this.watched(this.reader.scan(table, bounds));
  }

  findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place> {
    return this.watched(this.reader.findEntries(tree, tag, below));
  }

  findEntriesUp(tree: LsmTree, tag: Uint8Array): Iterable<Place> {
    return this.watched(this.reader.findEntriesUp(tree, tag));
  }

  countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number> {
    this.look();
    return this.reader.countsOf(counter, key);
  }

  private *watched<Row>(rows: Iterable<Row>): Iterable<Row> {
    for (const row of rows) {
      this.look();
      yield row;
    }
  }
}
