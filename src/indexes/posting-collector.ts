import { bytesKey } from "../bytes/compare.ts";
import { getOrInsert } from "../collections/get-or-insert.ts";
import type { ValueCodec } from "../storage/kv.ts";
import type { UnitPosting } from "../storage/postings/unit-postings.ts";

export class PostingCollector<T> {
  readonly #byKey = new Map<string, { readonly key: Uint8Array; readonly items: T[] }>();

  itemsOf(key: Uint8Array): T[] {
    return getOrInsert(this.#byKey, bytesKey(key), () => ({ key, items: [] })).items;
  }

  postings(codec: ValueCodec<readonly T[]>): UnitPosting[] {
    return Array.from(this.#byKey.values(), ({ key, items }) => ({ key, value: codec.encode(items) }));
  }
}
