import { bytesKey } from "../../bytes/compare.ts";
import { type Bounds, type Reader, type Table, TableReader } from "../../storage/kv.ts";
import { StoredLedger } from "../../storage/ledger-state.ts";
import type { Counter } from "../../storage/lsm/counter.ts";
import type { LsmTree } from "../../storage/lsm/tree.ts";
import { Overlay } from "../../storage/overlay.ts";
import type { Place } from "../../storage/places.ts";
import { type RecentIds, TriedIds } from "../../storage/recent-ids.ts";
import { newestUnit } from "./changes.ts";

/** A reader that is another one in each turn, of the same state. */
class MovingReader extends TableReader {
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

/**
 * The state of the tip, to try things out on over several turns of the event loop: what is written to it stays until the
 * chain changes, and is lost then. The caller bounds how much that is.
 */
export class LastingScratch {
  readonly #read: <T>(reading: (reader: Reader) => T) => T;
  readonly #recent: RecentIds;
  #state: { readonly tip: string; reader: MovingReader; ids: TriedIds; ledger: StoredLedger } | undefined;

  constructor(read: <T>(reading: (reader: Reader) => T) => T, recent: RecentIds) {
    this.#read = read;
    this.#recent = recent;
  }

  /** Hands out the state, to be used while `use` runs. */
  scratch<T>(use: (ledger: StoredLedger) => T): T {
    return this.#read((reader) => {
      const tip = bytesKey(newestUnit(reader).id);
      if (this.#state?.tip !== tip) this.#state = this.#begin(tip, reader);
      const { reader: below, ids, ledger } = this.#state;
      below.now = reader;
      // Others may have driven ids out of memory meanwhile.
      ids.cover(reader);
      return use(ledger);
    });
  }

  #begin(tip: string, now: Reader) {
    const reader = new MovingReader(now);
    const ids = new TriedIds(this.#recent);
    return { tip, reader, ids, ledger: new StoredLedger(new Overlay(reader), ids) };
  }
}
