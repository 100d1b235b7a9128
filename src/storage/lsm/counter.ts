import type { LsmTree } from "./tree.ts";

/** A number for each key and label: `storage/counters.ts`. */
export interface Counter {
  readonly name: string;
  /** Identifies the counter in the journal; unique among the prefixes of tables and counters. */
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
   * Adds `count` to a number, readable after the commit.
   * @param key 20 bytes
   * @param label u32
   * @param count i32; the sum must be an i32 too
   */
  addCount(counter: Counter, key: Uint8Array, label: number, count: number): void;
}
