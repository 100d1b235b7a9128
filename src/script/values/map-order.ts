import { hashString, improve, trieSort } from "../../collections/hash-trie.ts";

/** Up to this many entries the reference's map keeps the order of insertion. */
const SMALL_MAP = 4;

/** The keys of a map in the order in which the reference lists them. Page 08 §8.2, §15.1. */
export function mapOrder(keys: readonly string[]): readonly string[] {
  return keys.length <= SMALL_MAP ? keys : trieSort(keys, (key) => improve(hashString(key)));
}
