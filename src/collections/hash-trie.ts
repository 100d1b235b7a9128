/**
 * Iteration order of the reference's hash collections: mapped anchors (consensus) and wallet addresses depend on
 * it. Page 01 §13.
 */
import { bytesKey } from "../bytes/compare.ts";

/** Java's hash code of a byte array: signed bytes, starting at 1. */
export function hashBytes(bytes: Uint8Array): number {
  let hash = 1;
  for (let i = 0; i < bytes.length; i++) hash = (Math.imul(31, hash) + ((bytes[i] << 24) >> 24)) | 0;
  return hash;
}

/** Java's hash code of a text: its UTF-16 units, starting at 0. */
export function hashString(text: string): number {
  let hash = 0;
  for (let i = 0; i < text.length; i++) hash = (Math.imul(31, hash) + text.charCodeAt(i)) | 0;
  return hash;
}

/** Mixing of the immutable map and set. */
export function improve(hash: number): number {
  let h = (hash + ~(hash << 9)) | 0;
  h ^= h >>> 14;
  h = (h + (h << 4)) | 0;
  return h ^ (h >>> 10);
}

/** Mixing of the concurrent map that holds the wallet's accounts. */
function byteswap(hash: number): number {
  const h = Math.imul(hash, 0x9e3775cd);
  const reversed = ((h & 0xff) << 24) | ((h & 0xff00) << 8) | ((h >>> 8) & 0xff00) | ((h >>> 24) & 0xff);
  return Math.imul(reversed, 0x9e3775cd);
}

/** Ranks a mixed hash by its base-32 digits, the least significant digit first. */
function trieRank(mixed: number): number {
  let rank = 0;
  for (let shift = 0; shift < 32; shift += 5) rank = rank * 32 + ((mixed >>> shift) & 31);
  return rank;
}

/**
 * Sorts items in trie order: by the base-32 digits of their mixed hash, least significant first. Items with equal
 * hashes keep their order. Returns a new array.
 * @param mixedHash the mixed 32-bit hash of an item (`improve` or `byteswap` of its hash code)
 */
export function trieSort<T>(items: readonly T[], mixedHash: (item: T) => number): T[] {
  return items
    .map((item) => ({ item, rank: trieRank(mixedHash(item)) }))
    .sort((a, b) => a.rank - b.rank)
    .map(({ item }) => item);
}

/** Up to this size the immutable map and set keep the order of insertion. */
const SMALL_MAP = 4;

/** Returns distinct items in the iteration order of an immutable map or set. @param hash hash code of an item */
export function immutableOrder<T>(items: readonly T[], hash: (item: T) => number): T[] {
  return items.length <= SMALL_MAP ? [...items] : trieSort(items, (item) => improve(hash(item)));
}

/**
 * Returns the entries of an immutable map with byte-string keys in its iteration order after the insertion of
 * `entries`. A repeated key replaces the value: in place while the map has at most four entries, else at the end of
 * the keys with the same hash.
 */
export function immutableMapEntries<V>(
  entries: Iterable<readonly [key: Uint8Array, value: V]>,
): [key: Uint8Array, value: V][] {
  const map = new Map<string, [Uint8Array, V]>();
  for (const [key, value] of entries) {
    const name = bytesKey(key);
    if (map.size > SMALL_MAP) map.delete(name);
    const earlier = map.get(name);
    // The first key object stays, because its bytes are the same.
    map.set(name, [earlier === undefined ? key : earlier[0], value]);
  }
  return immutableOrder([...map.values()], ([key]) => hashBytes(key));
}

/**
 * Returns the elements of the wallet's concurrent map, keyed by `text(item)` (the address), in the reference's
 * order.
 */
export function concurrentMapOrder<T>(items: readonly T[], text: (item: T) => string): T[] {
  return trieSort(items, (item) => byteswap(hashString(text(item))));
}
