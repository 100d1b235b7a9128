import { immutableOrder } from "../collections/hash-trie.ts";

/** Returns the distinct ids in the order in which a block is written and signed. Page 03 §2.4. */
export function canonicalFeatures(ids: Iterable<number>): number[] {
  return immutableOrder([...new Set(ids)], (id) => id);
}
