import { immutableOrder } from "../collections/hash-trie.ts";

/** Returns distinct ids in the order that is written and signed. Page 03 §2.4. */
export function canonicalFeatures(ids: Iterable<number>): number[] {
  return immutableOrder([...new Set(ids)], (id) => id);
}
