/** The order of feature votes in a block. Page 03 §2.4. */
import { immutableOrder } from "../collections/hash-trie.ts";

/** The distinct ids in the order in which a block is written and signed. */
export function canonicalFeatures(ids: Iterable<number>): number[] {
  return immutableOrder([...new Set(ids)], (id) => id);
}
