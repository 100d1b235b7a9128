import type { LsmTree } from "./tree.ts";

/** A counter. `tables.ts` lists all of them. */
export interface Counter {
  readonly name: string;
  /** Identifies the counter in the journal. Unique among the prefixes of tables and counters. */
  readonly prefix: number;
  readonly tree: LsmTree;
}

export interface CountReader {
  /**
   * Returns the committed numbers of a key by label, without zeros.
   * @param key 20 bytes
   * @throws MissingChunkError if the store is damaged
   */
  countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number>;
}

export interface CountWriter {
  /**
   * Adds to the number of a key and label. It is readable after the commit.
   * @param key 20 bytes
   * @param label u32
   * @param count i32, as is the sum
   */
  addCount(counter: Counter, key: Uint8Array, label: number, count: number): void;
}
