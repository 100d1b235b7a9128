import type { ListPage } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

/** Page 03 §2.8, page 06 §5.5. */
export interface HeaderInfo {
  readonly height: number;
  /** 64 bytes: the signature; for the liquid block that of its newest total. */
  readonly id: Uint8Array;
  readonly version: number;
  readonly timestamp: bigint;
  readonly reference: Uint8Array;
  readonly baseTarget: bigint;
  readonly generationSignature: Uint8Array;
  readonly features: readonly number[];
  readonly feeVote: number;
  /** Public key (32 bytes) and address (26 bytes) of the generator. */
  readonly generatorKey: Uint8Array;
  readonly generator: Uint8Array;
  /** Length of the whole block in bytes, micro blocks included. */
  readonly size: number;
  readonly transactionCount: number;
}

/** With the amounts of page 06 §5.6. */
export interface BlockInfo extends HeaderInfo {
  readonly transactions: readonly ChainTransaction[];
  readonly fee: bigint;
  readonly burnedFees: bigint;
  readonly miningReward: bigint;
  readonly generatorReward: bigint;
}

/** A block that left the chain. */
export interface RevertedBlockInfo {
  /** As it was with the unit of this id. */
  readonly header: HeaderInfo;
  /** True if the id is that of a micro block's total. */
  readonly isMicroBlock: boolean;
  /** True if it is on the chain again; then nothing replaced it. */
  readonly isOnChain: boolean;
  /** The current block at its height. */
  readonly replacedBy: HeaderInfo | undefined;
  /** The replacement has the same key block with other micro blocks. */
  readonly keepsKeyBlock: boolean;
}

export interface BlockQueries {
  /** Chain score: sum of 2^64 / base target over all blocks, liquid block included. */
  score(): bigint;
  header(height: number): HeaderInfo | undefined;
  headerById(id: Uint8Array): HeaderInfo | undefined;
  at(height: number): BlockInfo | undefined;
  /** The id of a micro block total gives the block as it was at that micro block. Page 06 §7.3. */
  byId(id: Uint8Array): BlockInfo | undefined;
  /** For the liquid block the current id. Cheaper than reading the header. */
  idAt(height: number): Uint8Array | undefined;
  /** Also of ids of the liquid block and its totals. */
  heightOf(id: Uint8Array): number | undefined;
  /** As peers send it. */
  bytesAt(height: number): Uint8Array | undefined;
  /** By the id of a micro block, the block as it was then. */
  reverted(id: Uint8Array): RevertedBlockInfo | undefined;
  /** Heights of blocks of a generator, ascending, both ends included: all of them, or a page. */
  heightsGeneratedBy(
    generator: Uint8Array,
    from: number,
    to: number,
    page?: ListPage<number>,
  ): readonly number[];
  /** Ids of the latest persisted blocks, newest first. Page 06 §7.16 historyInfo. */
  lastPersistedIds(count: number): readonly Uint8Array[];
  /** Ids (totals) of the micro blocks of the liquid block, newest first. */
  microBlockIds(): readonly Uint8Array[];
}
