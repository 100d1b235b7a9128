import { encodeBase58 } from "../../bytes/base58.ts";
import { bytesKey } from "../../bytes/compare.ts";
import type { Clock } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";

const MAX_ENTRIES = 10_000;
const MAX_ERROR_LENGTH = 1_000;

/** Ids and errors of blocks that every node rejects. Page 04 §13.4. */
export class InvalidBlocks {
  readonly #errors: ExpiringMap<string>;

  constructor(clock: Clock, lifetimeMs: number) {
    this.#errors = new ExpiringMap(clock, lifetimeMs, MAX_ENTRIES);
  }

  get size(): number {
    return this.#errors.size;
  }

  add(id: Uint8Array, error: string): void {
    this.#errors.set(bytesKey(id), error.slice(0, MAX_ERROR_LENGTH));
  }

  /** Page 04 §21. */
  banReason(ids: readonly Uint8Array[]): string | undefined {
    for (const id of ids) {
      const error = this.#errors.get(bytesKey(id));
      if (error !== undefined) return `Signatures contain invalid block(s): ${encodeBase58(id)}, ${error}`;
    }
    return undefined;
  }
}
