/** What estimates gave that took long, for those who ask again. */
import { bytesKey } from "../../bytes/compare.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";
import { sha256 } from "../../crypto/hashes.ts";
import type { ScriptParseError } from "../errors.ts";

/** A cost, or why there is none. */
export type Estimate = number | ScriptParseError;

/** Some 250 bytes each. To have one of them forgotten takes as many others, each of which takes long to find. */
const MAX_ENTRIES = 4_096;

/** The last results, by the bytes of the script: whoever sends the same script again and again is answered at once. */
export class EstimateCache {
  readonly #known = new BoundedCache<Estimate>({ entries: MAX_ENTRIES });

  /** Whether a script's is known. */
  has(script: Uint8Array): boolean {
    return this.#known.has(bytesKey(sha256(script)));
  }

  /** What is known of a script, or what `find` finds. */
  getOrCompute(script: Uint8Array, find: () => Estimate): Estimate {
    const key = bytesKey(sha256(script));
    return this.#known.use(key) ?? this.#known.set(key, find());
  }
}
