/** The order of feature votes in a block. Page 03 §2.4. */
import { improve, trieSort } from "../collections/hash-trie.ts";

/** Up to this many ids keep the order in which they came. */
const SMALL_SET = 4;

/** The distinct ids in the order in which a block is written and signed. */
export function canonicalFeatures(ids: Iterable<number>): number[] {
  const distinct = [...new Set(ids)];
  return distinct.length <= SMALL_SET ? distinct : trieSort(distinct, improve);
}
