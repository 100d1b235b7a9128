import { type Bounds, DelegatingReader, type Reader, type Table } from "../kv.ts";
import type { LsmTree } from "../lsm/tree.ts";
import type { Place } from "../places.ts";

/** A reader that calls `look` before each row. `look` throws to stop a read that takes too long. */
export class InterruptibleReader extends DelegatingReader {
  readonly #reader: Reader;
  readonly #look: () => void;

  constructor(reader: Reader, look: () => void) {
    super();
    this.#reader = reader;
    this.#look = look;
  }

  protected source(): Reader {
    this.#look();
    return this.#reader;
  }

  override scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]> {
    return this.#watched(this.#reader.scan(table, bounds));
  }

  override findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place> {
    return this.#watched(this.#reader.findEntries(tree, tag, below));
  }

  override findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place> {
    return this.#watched(this.#reader.findEntriesAscending(tree, tag));
  }

  *#watched<Row>(rows: Iterable<Row>): Iterable<Row> {
    for (const row of rows) {
      this.#look();
      yield row;
    }
  }
}
