/** Page 06 §7.17. */
export interface FeatureInfo {
  readonly id: number;
  readonly approvalHeight?: number | undefined;
  readonly activationHeight?: number | undefined;
  /** Votes in the current window. */
  readonly votes: number;
}

/** The vote on the fee price, at the tip; prices in 10^-8 tokens. Page 06 §7.4. */
export interface FeeVoteInfo {
  readonly price: bigint;
  readonly votes: number;
  /** In blocks. */
  readonly period: number;
  readonly nextPrice: bigint;
  readonly nextActivationHeight: number;
}

/** A recent generator. Page 03 §8. */
export interface DueForger {
  readonly address: Uint8Array;
  /** How many of the examined blocks it generated. */
  readonly blocks: number;
  /** For a child of the newest block, in 10^-8 tokens. */
  readonly generatingBalance: bigint;
  /** Earliest time of its next block, ms since 1970; undefined if it may not forge. */
  readonly due: bigint | undefined;
}

export interface DueBlocks {
  /** Height and time (ms since 1970) of the newest block. */
  readonly height: number;
  readonly timestamp: bigint;
  readonly examinedBlocks: number;
  readonly forgers: readonly DueForger[];
}

/** A block that another recent generator could have made earlier than the block's own generator. */
export interface MissedBlock {
  readonly height: number;
  /** In ms since 1970. */
  readonly timestamp: bigint;
  readonly generator: Uint8Array;
  /** Generator with the shortest delay. */
  readonly shortest: Uint8Array;
  /** Earliest time at which `shortest` could have made the block, ms since 1970. */
  readonly due: bigint;
}

export interface MissedBlocks {
  /** Height of the newest block. */
  readonly height: number;
  readonly examinedBlocks: number;
  /** Newest first. */
  readonly blocks: readonly MissedBlock[];
}

export interface NetworkQueries {
  /** Tokens burned up to a height (default: the tip), in 10^-8 tokens; 0 at height 0. */
  burned(height?: number): bigint;
  feeVotes(): FeeVoteInfo;
  features(): readonly FeatureInfo[];
  /** Feature ids. Ignores votes of the current window. */
  approvedFeatures(): readonly number[];
  /**
   * Recent generators, by time of their next block.
   * @param maxBlocks number of newest blocks to examine, without the genesis block
   * @param limit maximum number of generators; those with the most blocks are chosen
   */
  dueBlocks(maxBlocks: number, limit: number): DueBlocks;
  /**
   * Blocks whose generator did not have the shortest delay.
   * @param limit maximum number of generators to consider
   */
  missedBlocks(maxBlocks: number, limit: number): MissedBlocks;
}
