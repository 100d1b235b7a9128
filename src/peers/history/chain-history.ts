/** Finds blocks on the chain; for a while, also reverted ones and earlier liquid blocks. Page 04 §12, §26 rule 11. */
import { bytesKey } from "../../bytes/compare.ts";
import type { Chain } from "../../chain/chain.ts";
import {
  blockBytesAt,
  idsAfter,
  microBlockBytesAt,
  revertedBlockBytes,
  revertedMicroBlockBytes,
  unitOfId,
} from "../../chain/reading/history.ts";
import type { Clock } from "../../interfaces.ts";
import { ExpiringMap } from "../../runtime/expiring-map.ts";
import type { UnitKey } from "../../storage/places.ts";
import type { SyncOptions } from "../options.ts";

/** Time for slow peers to request reverted blocks, ms. */
const REMEMBERED_MS = 1_800_000;
/** Half an hour of units, with room for a fork. */
const MAX_UNITS = 8_192;

export interface History {
  /** Empty if no id is known. */
  idsAfter(ids: readonly Uint8Array[]): Uint8Array[];
  block(id: Uint8Array): Uint8Array | undefined;
  microBlock(totalSignature: Uint8Array): Uint8Array | undefined;
}

export class ChainHistory implements History {
  readonly #chain: Chain;
  readonly #maxChainLength: number;
  readonly #units: ExpiringMap<UnitKey>;
  readonly #blocks: ExpiringMap<Uint8Array>;
  readonly #microBlocks: ExpiringMap<Uint8Array>;
  readonly #unsubscribe: () => void;

  constructor(chain: Chain, clock: Clock, options: SyncOptions) {
    this.#chain = chain;
    this.#maxChainLength = options.maxChainLength;
    this.#units = new ExpiringMap(clock, REMEMBERED_MS, MAX_UNITS);
    this.#blocks = new ExpiringMap(clock, REMEMBERED_MS, options.blockCache);
    this.#microBlocks = new ExpiringMap(clock, REMEMBERED_MS, options.microBlockCache);
    this.#unsubscribe = chain.onChange(({ committed }) => {
      // Only the newest units of a long extension can have been liquid.
      for (const { id, height, sequence } of committed.slice(-MAX_UNITS))
        this.#units.set(bytesKey(id), { height, sequence });
    });
  }

  idsAfter(ids: readonly Uint8Array[]): Uint8Array[] {
    return this.#chain.read((reader) => idsAfter(reader, ids, this.#maxChainLength)) ?? [];
  }

  block(id: Uint8Array): Uint8Array | undefined {
    return this.#find(this.#blocks, id, blockBytesAt, revertedBlockBytes);
  }

  microBlock(totalSignature: Uint8Array): Uint8Array | undefined {
    return this.#find(this.#microBlocks, totalSignature, microBlockBytesAt, revertedMicroBlockBytes);
  }

  /** Page 06 §7.16. */
  get cacheSizes(): { readonly blocks: number; readonly microBlocks: number } {
    return { blocks: this.#blocks.size, microBlocks: this.#microBlocks.size };
  }

  close(): void {
    this.#unsubscribe();
  }

  /** Caches results: the bytes of an id never change. */
  #find(
    cache: ExpiringMap<Uint8Array>,
    id: Uint8Array,
    bytesAt: typeof blockBytesAt,
    revertedBytes: typeof revertedBlockBytes,
  ): Uint8Array | undefined {
    const key = bytesKey(id);
    const cached = cache.get(key);
    if (cached !== undefined) return cached;
    const bytes = this.#chain.read((reader) => {
      const unit = unitOfId(reader, id) ?? this.#units.get(key);
      return (unit && bytesAt(reader, unit, id)) ?? revertedBytes(reader, id);
    });
    if (bytes !== undefined) cache.set(key, bytes);
    return bytes;
  }
}
