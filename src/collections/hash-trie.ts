/**
 * Orders items like the reference's hash collections. Consensus needs this order for mapped anchors, and the API for
 * wallet addresses. Page 01 §13.
 */
import { bytesKey } from "../bytes/compare.ts";

/** Returns Java's hash code of an array of signed bytes. */
export function hashBytes(bytes: Uint8Array): number {
  let hash = 1;
  for (let i = 0; i < bytes.length; i++) hash = (Math.imul(31, hash) + ((bytes[i] << 24) >> 24)) | 0;
  return hash;
}

/** Returns Java's hash code of a string. */
export function hashString(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

/** Mixes a hash code like Scala's immutable maps and sets. */
export function mixScalaHash(hash: number): number {
  let h = (hash + ~(hash << 9)) | 0;
  h ^= h >>> 14;
  h = (h + (h << 4)) | 0;
  return h ^ (h >>> 10);
}

/** Mixes a hash code like the concurrent map of the reference's wallet. */
function mixWalletHash(hash: number): number {
  const h = Math.imul(hash, 0x9e3775cd);
  const reversed = ((h & 0xff) << 24) | ((h & 0xff00) << 8) | ((h >>> 8) & 0xff00) | ((h >>> 24) & 0xff);
  return Math.imul(reversed, 0x9e3775cd);
}

/** Reverses the base-32 digits, which gives the trie's order. */
function trieRank(mixed: number): number {
  let rank = 0;
  for (let shift = 0; shift < 32; shift += 5) rank = rank * 32 + ((mixed >>> shift) & 31);
  return rank;
}

/** Sorts items in the iteration order of a hash trie. Items with equal hashes keep their order. */
export function trieSort<T>(items: readonly T[], mixedHash: (item: T) => number): T[] {
  return items
    .map((item) => ({ item, rank: trieRank(mixedHash(item)) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** Scala's immutable maps and sets of at most this size keep the insertion order. */
const MAX_INSERTION_ORDERED = 4;

/** Orders distinct items like Scala's immutable sets. */
export function immutableSetOrder<T>(items: readonly T[], hash: (item: T) => number): T[] {
  return items.length <= MAX_INSERTION_ORDERED
    ? [...items]
    : trieSort(items, (item) => mixScalaHash(hash(item)));
}

/**
 * Orders entries like Scala's immutable maps. In a map of at most four entries, the entry of a repeated key keeps its
 * position; in a larger map, that entry moves after the keys with the same hash.
 */
export function immutableMapEntries<V>(
  entries: Iterable<readonly [key: Uint8Array, value: V]>,
): [key: Uint8Array, value: V][] {
  const map = new Map<string, [Uint8Array, V]>();
  for (const [key, value] of entries) {
    const mapKey = bytesKey(key);
    if (map.size > MAX_INSERTION_ORDERED) map.delete(mapKey);
    const earlier = map.get(mapKey);
    map.set(mapKey, [earlier === undefined ? key : earlier[0], value]);
  }
  return immutableSetOrder([...map.values()], ([key]) => hashBytes(key));
}

/** Orders items like the wallet's concurrent map. */
export function concurrentMapOrder<T>(items: readonly T[], keyOf: (item: T) => string): T[] {
  return trieSort(items, (item) => mixWalletHash(hashString(keyOf(item))));
}
