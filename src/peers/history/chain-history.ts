/**
 * Serves our chain to peers from committed data. Ids and blocks that peers have seen stay available for a while:
 * ids of the liquid block that later blocks passed over, and blocks that left the chain. Page 04 §12, §26 rule 11.
 */
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

/** How long such ids are looked up, ms: some blocks that a slow peer still fetches. */
const REMEMBERED_MS = 1_800_000;
/** Half an hour of units, with room for a fork. */
const MAX_UNITS = 8_192;

/** The chain as peers see it. Callers must not change the byte strings. */
export interface History {
  /** Returns the answer to `GetSignatures`; empty if no id is known. */
  idsAfter(ids: readonly Uint8Array[]): Uint8Array[];
  /** Returns a block by its id, or by the id of one of its liquid states. */
  block(id: Uint8Array): Uint8Array | undefined;
  /** Returns a micro block by the id of its total. */
  microBlock(total: Uint8Array): Uint8Array | undefined;
}

export class ChainHistory implements History {
  readonly #chain: Chain;
  readonly #maxChainLength: number;
  /** Positions of recent units: the ids of a liquid block are deleted when it is persisted. */
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

  microBlock(total: Uint8Array): Uint8Array | undefined {
    return this.#find(this.#microBlocks, total, microBlockBytesAt, revertedMicroBlockBytes);
  }

  /** Cached blocks and micro blocks. Page 06 §7.16. */
  get cacheSizes(): { readonly blocks: number; readonly microBlocks: number } {
    return { blocks: this.#blocks.size, microBlocks: this.#microBlocks.size };
  }

  close(): void {
    this.#unsubscribe();
  }

  /** Returns the bytes of an id from the cache or the chain. An id always means the same bytes. */
  #find(
    cache: ExpiringMap<Uint8Array>,
    id: Uint8Array,
    bytesAt: typeof blockBytesAt,
    revertedBytes: typeof revertedBlockBytes,
  ): Uint8Array | undefined {
    const key = bytesKey(id);
    const known = cache.get(key);
    if (known !== undefined) return known;
    const bytes = this.#chain.read((reader) => {
      const unit = unitOfId(reader, id) ?? this.#units.get(key);
      return (unit && bytesAt(reader, unit, id)) ?? revertedBytes(reader, id);
    });
    if (bytes !== undefined) cache.set(key, bytes);
    return bytes;
  }
}
