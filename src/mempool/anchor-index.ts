import { bytesKey } from "../bytes/compare.ts";
import { SortedMap } from "../collections/sorted-map.ts";
import { anchorsOf, type PoolEntry } from "./entry.ts";
import { ageKey } from "./order.ts";

/** The length comes first: a longer hash may begin with the same bytes. */
function prefixOf(hash: Uint8Array): string {
  return String.fromCharCode(hash.length) + bytesKey(hash);
}

/** Transactions by anchored hash, oldest first. */
export class AnchorIndex {
  readonly #entries = new SortedMap<PoolEntry>();

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

  oldest(hash: Uint8Array): PoolEntry | undefined {
    const prefix = prefixOf(hash);
    for (const [key, entry] of this.#entries.entries(prefix))
      return key.startsWith(prefix) ? entry : undefined;
    return undefined;
  }
}
