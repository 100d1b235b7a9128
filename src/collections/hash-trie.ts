/**
 * The reference's iteration order of hash collections: mapped anchors (consensus) and wallet addresses depend on it.
 * Page 01 §13.
 */
import { bytesKey } from "../bytes/compare.ts";

/** Java's hash code. The bytes are signed. */
export function hashBytes(bytes: Uint8Array): number {
  let hash = 1;
  for (let i = 0; i < bytes.length; i++) hash = (Math.imul(31, hash) + ((bytes[i] << 24) >> 24)) | 0;
  return hash;
}

/** Java's hash code. */
export function hashString(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

/** Mixes a hash code like Scala's immutable maps and sets. */
export function improve(hash: number): number {
  let h = (hash + ~(hash << 9)) | 0;
  h ^= h >>> 14;
  h = (h + (h << 4)) | 0;
  return h ^ (h >>> 10);
}

/** Mixes a hash code like the concurrent map of the reference's wallet. */
function byteswap(hash: number): number {
  const h = Math.imul(hash, 0x9e3775cd);
  const reversed = ((h & 0xff) << 24) | ((h & 0xff00) << 8) | ((h >>> 8) & 0xff00) | ((h >>> 24) & 0xff);
  return Math.imul(reversed, 0x9e3775cd);
}

/** Reverses the base-32 digits of the number, which gives the trie order. */
function trieRank(mixed: number): number {
  let rank = 0;
  for (let shift = 0; shift < 32; shift += 5) rank = rank * 32 + ((mixed >>> shift) & 31);
  return rank;
}

/**
 * Items with equal hashes keep their order.
 * @param mixedHash `improve` or `byteswap` of the item's hash code
 */
export function trieSort<T>(items: readonly T[], mixedHash: (item: T) => number): T[] {
  return items
    .map((item) => ({ item, rank: trieRank(mixedHash(item)) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** Scala's immutable maps and sets of at most this size keep the insertion order. */
const MAX_INSERTION_ORDERED = 4;

/** Returns distinct items. @param hash the item's hash code */
export function immutableOrder<T>(items: readonly T[], hash: (item: T) => number): T[] {
  return items.length <= MAX_INSERTION_ORDERED ? [...items] : trieSort(items, (item) => improve(hash(item)));
}

/**
 * A repeated key replaces the value. The entry keeps its position while the map has at most four entries; in a larger
 * map, it moves after the keys with the same hash.
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
  return immutableOrder([...map.values()], ([key]) => hashBytes(key));
}

/** The order of the wallet's concurrent map, keyed by `text(item)` (the address). */
export function concurrentMapOrder<T>(items: readonly T[], text: (item: T) => string): T[] {
  return trieSort(items, (item) => byteswap(hashString(text(item))));
}
