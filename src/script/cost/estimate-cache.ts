import { bytesKey } from "../../bytes/compare.ts";
import { BoundedCache } from "../../collections/bounded-cache.ts";
import { sha256 } from "../../crypto/hashes.ts";
import type { ScriptParseError } from "../errors.ts";

export type Estimate = number | ScriptParseError;

/** An entry has about 250 bytes. */
const MAX_ENTRIES = 4_096;

export class EstimateCache {
  readonly #estimates = new BoundedCache<Estimate>({ entries: MAX_ENTRIES });

  has(script: Uint8Array): boolean {
    return this.#estimates.has(bytesKey(sha256(script)));
  }

  getOrCompute(script: Uint8Array, compute: () => Estimate): Estimate {
    const key = bytesKey(sha256(script));
    return this.#estimates.use(key) ?? this.#estimates.set(key, compute());
  }
}
