import { bytesKey } from "../bytes/compare.ts";
import type { ValueCodec } from "../storage/kv.ts";
import type { UnitPosting } from "../storage/postings/unit-postings.ts";

/** What the transactions of a unit say of each of many keys, in their order. */
export class PostingCollector<T> {
  readonly #byKey = new Map<string, { readonly key: Uint8Array; readonly said: T[] }>();

  list(key: Uint8Array): T[] {
    const text = bytesKey(key);
    const known = this.#byKey.get(text);
    if (known !== undefined) return known.said;
    const said: T[] = [];
    this.#byKey.set(text, { key, said });
    return said;
  }

  postings(codec: ValueCodec<readonly T[]>): UnitPosting[] {
    return Array.from(this.#byKey.values(), ({ key, said }) => ({ key, value: codec.encode(said) }));
  }
}
