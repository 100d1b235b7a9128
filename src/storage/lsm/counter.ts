/** What a counter is: see `counters.ts`. */
import type { LsmTree } from "./tree.ts";

/** One of the counters; the list stands in `tables.ts`. */
export interface Counter {
  readonly name: string;
  /** What the journal names it by, among the prefixes of tables. */
  readonly prefix: number;
  readonly tree: LsmTree;
}

/** Reads counters. */
export interface CountReader {
  /**
   * The numbers of a key by label, those that are not 0, as they are committed.
   * @param key 20 bytes
   * @throws MissingChunkError when the store is damaged
   */
  countsOf(counter: Counter, key: Uint8Array): ReadonlyMap<number, number>;
}

/** Adds counts. */
export interface CountWriter {
  /**
   * Adds to the number of a key and label: to be read once it is committed.
   * @param key 20 bytes
   * @param label u32
   * @param count i32, as is the sum
   */
  addCount(counter: Counter, key: Uint8Array, label: number, count: number): void;
}
