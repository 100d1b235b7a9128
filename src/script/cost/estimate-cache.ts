import { bytesKey } from "../../bytes/compare.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";
import { sha256 } from "../../crypto/hashes.ts";
import type { ScriptParseError } from "../errors.ts";

export type Estimate = number | ScriptParseError;

/** About 250 bytes each. Evicting one takes as many new scripts, each of which takes long to estimate. */
const MAX_ENTRIES = 4_096;

/** The latest results by the bytes of their script: a script that is sent again is answered at once. */
export class EstimateCache {
  readonly #known = new BoundedCache<Estimate>({ entries: MAX_ENTRIES });

  has(script: Uint8Array): boolean {
    return this.#known.has(bytesKey(sha256(script)));
  }

  getOrCompute(script: Uint8Array, find: () => Estimate): Estimate {
    const key = bytesKey(sha256(script));
    return this.#known.use(key) ?? this.#known.set(key, find());
  }
}
