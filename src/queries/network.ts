/** What the network decided, and who forges next. */

/** Voting figures of one feature. Page 06 §7.17. */
export interface FeatureInfo {
  readonly id: number;
  readonly approvalHeight?: number | undefined;
  readonly activationHeight?: number | undefined;
  /** Blocks of the current window that vote for it. */
  readonly votes: number;
}

/** Figures of fee price voting at the tip. Page 06 §7.4. */
export interface FeeVoteInfo {
  readonly price: bigint;
  readonly votes: number;
  readonly period: number;
  readonly nextPrice: bigint;
  readonly nextActivationHeight: number;
}

/** An account that may forge the next block. Page 03 §8. */
export interface DueForger {
  readonly address: Uint8Array;
  /** Of the newest blocks, those that it generated. */
  readonly blocks: number;
  /** For a child of the newest block, in 10^-8 tokens. */
  readonly generatingBalance: bigint;
  /** When its block may come at the earliest, ms; undefined: it may make none. */
  readonly due: bigint | undefined;
}

/** The next blocks, by the accounts that forged recently. */
export interface DueBlocks {
  /** Of the newest block, their parent. */
  readonly height: number;
  readonly timestamp: bigint;
  /** How many of the newest blocks were looked at. */
  readonly window: number;
  readonly forgers: readonly DueForger[];
}

export interface NetworkQueries {
  /** Burned so far at a height (default: the tip), in units; 0 for height 0. */
  burned(height?: number): bigint;
  feeVotes(): FeeVoteInfo;
  features(): readonly FeatureInfo[];
  /** Ids of the features that votes have approved: `features` without counting those of the current window. */
  approvedFeatures(): readonly number[];
  /**
   * When the generators of the newest blocks may make the next block, the soonest first.
   * @param window number of newest blocks to look at
   * @param limit maximum number of generators: those with the most blocks
   */
  dueBlocks(window: number, limit: number): DueBlocks;
}
