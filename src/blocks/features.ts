import { immutableSetOrder } from "../collections/hash-trie.ts";

/** Returns distinct ids in the order in which blocks contain and sign them. Page 03 §2.4. */
export function canonicalFeatures(ids: Iterable<number>): number[] {
  return immutableSetOrder([...new Set(ids)], (id) => id);
}
