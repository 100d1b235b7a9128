import type { HeightRange, ListPage } from "./paging.ts";
import type { ChainTransaction } from "./transactions.ts";

/** Page 03 §2.8, page 06 §5.5. */
export interface HeaderInfo {
  readonly height: number;
  /** Block signature, 64 bytes; for the liquid block, the signature up to its newest micro block. */
  readonly id: Uint8Array;
  readonly version: number;
  /** In ms since 1970. */
  readonly timestamp: bigint;
  readonly reference: Uint8Array;
  readonly baseTarget: bigint;
  readonly generationSignature: Uint8Array;
  readonly features: readonly number[];
  readonly feeVote: number;
  /** 32 bytes. */
  readonly generatorKey: Uint8Array;
  /** Address, 26 bytes. */
  readonly generator: Uint8Array;
  /** In bytes, with micro blocks. */
  readonly size: number;
  readonly transactionCount: number;
}

/** Amounts are in 10^-8 tokens. Page 06 §5.6. */
export interface BlockInfo extends HeaderInfo {
  readonly transactions: readonly ChainTransaction[];
  readonly fee: bigint;
  readonly burnedFees: bigint;
  readonly miningReward: bigint;
  readonly generatorReward: bigint;
}

/** Amounts are in 10^-8 tokens. */
export interface BlockRow {
  readonly height: number;
  readonly id: Uint8Array;
  readonly timestamp: bigint;
  readonly generator: Uint8Array;
  readonly transactionCount: number;
  readonly size: number;
  readonly fees: bigint;
  readonly reward: bigint;
}

/** Amounts are in 10^-8 tokens. */
export interface BlockDetails {
  /** Id of the key block alone. */
  readonly keyBlockId: Uint8Array;
  readonly fees: bigint;
  readonly burnedFees: bigint;
  readonly miningReward: bigint;
  readonly generatorReward: bigint;
  /** Sum of 2^64 / base target of the chain up to this block. */
  readonly score: bigint;
}

export interface BlockRowsQuery extends HeightRange {
  /** Address, 26 bytes; default: all. */
  readonly generator?: Uint8Array | undefined;
  /** Height of the last block of the previous page. */
  readonly after?: number | undefined;
  readonly limit: number;
}

/** A key block or micro block that left the chain. */
export interface RevertedBlockInfo {
  /** Header of the block up to the requested unit. */
  readonly header: HeaderInfo;
  readonly isMicroBlock: boolean;
  /** True if it has returned to the chain. */
  readonly isOnChain: boolean;
  /** The block now at its height; undefined if there is none, or if `isOnChain`. */
  readonly replacedBy: HeaderInfo | undefined;
  /** True if only micro blocks differ. */
  readonly keepsKeyBlock: boolean;
}

/** Blocks whose signatures were not checked (`--assume-valid`). */
export interface UncheckedBlocks {
  readonly from: number;
  readonly to: number;
  /** The id in `--assume-valid`, if peers sent the blocks and the chain does not contain that block yet. */
  readonly expectedId?: Uint8Array | undefined;
}

export interface BlockQueries {
  /** Score at the tip, with the liquid block. */
  score(): bigint;
  header(height: number): HeaderInfo | undefined;
  headerById(id: Uint8Array): HeaderInfo | undefined;
  at(height: number): BlockInfo | undefined;
  details(height: number): BlockDetails | undefined;
  /** A micro block's id finds the block up to that micro block. Page 06 §7.3. */
  byId(id: Uint8Array): BlockInfo | undefined;
  /** Cheaper to read than the header. */
  idAt(height: number): Uint8Array | undefined;
  /** Also finds micro blocks. */
  heightOf(id: Uint8Array): number | undefined;
  /** The block as peers exchange it. */
  bytesAt(height: number): Uint8Array | undefined;
  reverted(id: Uint8Array): RevertedBlockInfo | undefined;
  /** Heights in [from, to], ascending. */
  heightsGeneratedBy(
    generator: Uint8Array,
    from: number,
    to: number,
    page?: ListPage<number>,
  ): readonly number[];
  /** Newest first. */
  rows(query: BlockRowsQuery): readonly BlockRow[];
  /** Height of the newest block up to `time` (ms since 1970), or 0. */
  heightAt(time: number): number;
  /** Newest first. Page 06 §7.16. */
  lastPersistedIds(count: number): readonly Uint8Array[];
  /** Undefined if all blocks were checked. */
  unchecked(): UncheckedBlocks | undefined;
  /** Ids in the liquid block, newest first. */
  microBlockIds(): readonly Uint8Array[];
}
