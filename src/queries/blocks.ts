import type { ListPage } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

/** Block header. Page 03 §2.8, page 06 §5.5. */
export interface HeaderInfo {
  readonly height: number;
  /** Block signature, 64 bytes; for the liquid block, the signature up to its newest micro block. */
  readonly id: Uint8Array;
  readonly version: number;
  readonly timestamp: bigint;
  readonly reference: Uint8Array;
  readonly baseTarget: bigint;
  readonly generationSignature: Uint8Array;
  readonly features: readonly number[];
  readonly feeVote: number;
  /** The generator's public key (32 bytes) and address (26 bytes). */
  readonly generatorKey: Uint8Array;
  readonly generator: Uint8Array;
  /** Size of the whole block in bytes, micro blocks included. */
  readonly size: number;
  readonly transactionCount: number;
}

/** Block with its transactions and the amounts of page 06 §5.6. */
export interface BlockInfo extends HeaderInfo {
  readonly transactions: readonly ChainTransaction[];
  readonly fee: bigint;
  readonly burnedFees: bigint;
  readonly miningReward: bigint;
  readonly generatorReward: bigint;
}

/** A block that left the chain. */
export interface RevertedBlockInfo {
  /** Header of the block up to the unit with the requested id. */
  readonly header: HeaderInfo;
  /** True if the id belongs to a micro block. */
  readonly isMicroBlock: boolean;
  /** True if the block has returned to the chain. */
  readonly isOnChain: boolean;
  /** The block that is now at its height; undefined if there is none or the block has returned. */
  readonly replacedBy: HeaderInfo | undefined;
  /** True if the block now at its height has the same key block, so that only micro blocks differ. */
  readonly keepsKeyBlock: boolean;
}

export interface BlockQueries {
  /** Returns the sum of 2^64 / base target over all blocks, liquid block included. */
  score(): bigint;
  header(height: number): HeaderInfo | undefined;
  headerById(id: Uint8Array): HeaderInfo | undefined;
  at(height: number): BlockInfo | undefined;
  /** Returns a block. For the id of a micro block, returns the block up to that micro block. Page 06 §7.3. */
  byId(id: Uint8Array): BlockInfo | undefined;
  /** Returns the current id of a block. Cheaper than reading the header. */
  idAt(height: number): Uint8Array | undefined;
  /** Returns the height of a block. Also finds the ids of the liquid block and its micro blocks. */
  heightOf(id: Uint8Array): number | undefined;
  /** Returns a block's bytes as peers send them. */
  bytesAt(height: number): Uint8Array | undefined;
  /** Returns a block that left the chain. For the id of a micro block, returns the block up to that micro block. */
  reverted(id: Uint8Array): RevertedBlockInfo | undefined;
  /** Returns the heights of a generator's blocks in [from, to], ascending: all, or a page. */
  heightsGeneratedBy(
    generator: Uint8Array,
    from: number,
    to: number,
    page?: ListPage<number>,
  ): readonly number[];
  /** Returns the ids of the last persisted blocks, newest first. Page 06 §7.16 historyInfo. */
  lastPersistedIds(count: number): readonly Uint8Array[];
  /** Returns the ids of the micro blocks in the liquid block, newest first. */
  microBlockIds(): readonly Uint8Array[];
}
