/** Blocks that nobody may put forward again. Page 04 §13.4. */
import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesKey } from "../../bytes/compare.ts";
import type { Clock } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";

/** Entries kept; each holds an id and a short text. */
const MAX_ENTRIES = 10_000;
const MAX_ERROR_LENGTH = 1_000;

/**
 * Ids of blocks that failed upon their true parent, for a reason that is the same for everybody and for ever, with what
 * was said of them. Whoever lists one is to blame.
 */
export class InvalidBlocks {
  readonly #errors: ExpiringMap<string>;

  /** @param lifetimeMs `invalid-blocks-storage.timeout` */
  constructor(clock: Clock, lifetimeMs: number) {
    this.#errors = new ExpiringMap(clock, lifetimeMs, MAX_ENTRIES);
  }

  get size(): number {
    return this.#errors.size;
  }

  /** @param error the refusal in its printed form */
  add(id: Uint8Array, error: string): void {
    this.#errors.set(bytesKey(id), error.slice(0, MAX_ERROR_LENGTH));
  }

  /** Why whoever lists these ids is to blame: the reason of page 04 §21. */
  fault(ids: readonly Uint8Array[]): string | undefined {
    for (const id of ids) {
      const error = this.#errors.get(bytesKey(id));
      if (error !== undefined) return `Signatures contain invalid block(s): ${encodeBase58(id)}, ${error}`;
    }
    return undefined;
  }
}
