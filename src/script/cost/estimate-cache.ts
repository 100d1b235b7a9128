import { bytesKey } from "../../bytes/compare.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";
import { sha256 } from "../../crypto/hashes.ts";
import type { ScriptParseError } from "../errors.ts";

export type Estimate = number | ScriptParseError;

/** About 250 bytes each. Evicting one takes as many new, slow scripts. */
const MAX_ENTRIES = 4_096;

/** Latest results by script bytes, for scripts that are sent again. */
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
