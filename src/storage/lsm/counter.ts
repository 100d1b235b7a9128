import type { LsmTree } from "./tree.ts";

/** A counter: numbers by key and label. `tables.ts` lists all counters. */
export interface Counter {
  readonly name: string;
  /** Identifies the counter in the journal; unique among the prefixes of tables and counters. */
  readonly prefix: number;
  readonly tree: LsmTree;
}

export interface CountReader {
  /**
   * Returns the committed numbers of a key, by label. Numbers that are 0 are omitted.
   * @param key 20 bytes
   * @throws MissingChunkError if the store is damaged
   */
  countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number>;
}

export interface CountWriter {
  /**
   * Adds `count` to the number of a key and label. The sum is readable after the commit.
   * @param key 20 bytes
   * @param label u32
   * @param count i32, as is the sum
   */
  addCount(counter: Counter, key: Uint8Array, label: number, count: number): void;
}
