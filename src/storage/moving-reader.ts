import { type Bounds, type Reader, type Table, TableReader } from "./kv.ts";
import type { Counter } from "./lsm/counter.ts";
import type { LsmTree } from "./lsm/tree.ts";
import type { Place } from "./places.ts";

/** A reader that is another one in each turn, all of them of the same state. */
export class MovingReader extends TableReader {
  constructor(public now: Reader) {
    super();
  }

  find<K, V>(table: Table<K, V>, key: Uint8Array): V | undefined {
    return this.now.find(table, key);
  }

  scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]> {
    return this.now.scan(table, bounds);
  }

  findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place> {
    return this.now.findEntries(tree, tag, below);
  }

  findEntriesUp(tree: LsmTree, tag: Uint8Array): Iterable<Place> {
    return this.now.findEntriesUp(tree, tag);
  }

  countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number> {
    return this.now.countsOf(counter, key);
  }
}
