import { bytesKey } from "../bytes/compare.ts";
import { SortedMap } from "../collections/sorted-map.ts";
import { anchorsOf, type PoolEntry } from "./entry.ts";
import { ageKey } from "./order.ts";

/** Begins the keys of a hash; the length keeps a hash apart from those that begin with it. */
function prefixOf(hash: Uint8Array): string {
  return String.fromCharCode(hash.length) + bytesKey(hash);
}

/**
 * The transactions of the pool by what they anchor, oldest first. One map for all: any number may anchor the same hash,
 * and each comes and goes at the same cost.
 */
export class AnchorIndex {
  readonly #entries = new SortedMap<PoolEntry>();

  /** Number of hashes of all transactions. */
  get size(): number {
    return this.#entries.size;
  }

  add(entry: PoolEntry): void {
    const age = ageKey(entry.transaction, entry.idText);
    for (const hash of anchorsOf(entry.transaction)) this.#entries.set(prefixOf(hash) + age, entry);
  }

  remove(entry: PoolEntry): void {
    const age = ageKey(entry.transaction, entry.idText);
    for (const hash of anchorsOf(entry.transaction)) this.#entries.delete(prefixOf(hash) + age);
  }

  /** The oldest one that anchors the hash. */
  oldest(hash: Uint8Array): PoolEntry | undefined {
    const prefix = prefixOf(hash);
    for (const [key, entry] of this.#entries.entries(prefix))
      return key.startsWith(prefix) ? entry : undefined;
    return undefined;
  }
}
