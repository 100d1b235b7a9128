import type { ListPage } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

/** Block header. Page 03 §2.8, page 06 §5.5. */
export interface HeaderInfo {
  readonly height: number;
  /** Block signature, 64 bytes; for the liquid block, that of its newest total. */
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
  /** Bytes of the whole block, micro blocks included. */
  readonly size: number;
  readonly transactionCount: number;
}

/** Block with the amounts of page 06 §5.6. */
export interface BlockInfo extends HeaderInfo {
  readonly transactions: readonly ChainTransaction[];
  readonly fee: bigint;
  readonly burnedFees: bigint;
  readonly miningReward: bigint;
  readonly generatorReward: bigint;
}

export interface RevertedBlockInfo {
  /** Header as of the unit with the requested id. */
  readonly header: HeaderInfo;
  /** True if the id is that of a micro block's total. */
  readonly isMicroBlock: boolean;
  /** True if it is on the chain again, and nothing replaced it. */
  readonly isOnChain: boolean;
  /** The block at its height now. */
  readonly replacedBy: HeaderInfo | undefined;
  /** The replacement has the same key block with other micro blocks. */
  readonly keepsKeyBlock: boolean;
}

export interface BlockQueries {
  /** Sum of 2^64 / base target over all blocks, liquid block included. */
  score(): bigint;
  header(height: number): HeaderInfo | undefined;
  headerById(id: Uint8Array): HeaderInfo | undefined;
  at(height: number): BlockInfo | undefined;
  /** By the id of a micro block total: the block as of that micro block. Page 06 §7.3. */
  byId(id: Uint8Array): BlockInfo | undefined;
  /** The current id. Cheaper than reading the header. */
  idAt(height: number): Uint8Array | undefined;
  /** Also finds ids of the liquid block and its totals. */
  heightOf(id: Uint8Array): number | undefined;
  /** Block bytes as peers send them. */
  bytesAt(height: number): Uint8Array | undefined;
  /** By the id of a micro block: the block as of that micro block. */
  reverted(id: Uint8Array): RevertedBlockInfo | undefined;
  /** Heights of a generator's blocks in [from, to], ascending; all or a page. */
  heightsGeneratedBy(
    generator: Uint8Array,
    from: number,
    to: number,
    page?: ListPage<number>,
  ): readonly number[];
  /** Newest first. Page 06 §7.16 historyInfo. */
  lastPersistedIds(count: number): readonly Uint8Array[];
  /** Ids (totals) in the liquid block, newest first. */
  microBlockIds(): readonly Uint8Array[];
}
