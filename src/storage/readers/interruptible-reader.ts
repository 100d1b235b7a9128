import { type Bounds, DelegatingReader, type Reader, type Table } from "../kv.ts";
import type { LsmTree } from "../lsm/tree.ts";
import type { Place } from "../places.ts";

/** Calls `check`, which throws to end the reading, before each row. */
export class InterruptibleReader extends DelegatingReader {
  readonly #reader: Reader;
  readonly #check: () => void;

  constructor(reader: Reader, check: () => void) {
    super();
    this.#reader = reader;
    this.#check = check;
  }

  protected source(): Reader {
    this.#check();
    return this.#reader;
  }

  override scan<K, V>(table: Table<K, V>, bounds: Bounds): Iterable<[Uint8Array, V]> {
    return this.#checked(this.#reader.scan(table, bounds));
  }

  override findEntries(tree: LsmTree, tag: Uint8Array, below?: Place): Iterable<Place> {
    return this.#checked(this.#reader.findEntries(tree, tag, below));
  }

  override findEntriesAscending(tree: LsmTree, tag: Uint8Array): Iterable<Place> {
    return this.#checked(this.#reader.findEntriesAscending(tree, tag));
  }

  *#checked<Row>(rows: Iterable<Row>): Iterable<Row> {
    for (const row of rows) {
      this.#check();
      yield row;
    }
  }
}
