/** Defines a network. Page 03 §4-§5, §17. */

/** Feature voting, fee voting, rewards, leases, burning. Page 03 §5.2. */
export interface Functionality {
  /** Base length of the voting window, in blocks; > 0. */
  readonly featureCheckBlocksPeriod: number;
  /** Base number of votes that approve a feature; 1 to the period. */
  readonly blocksForFeatureActivation: number;
  /** Activation height by feature id, without a vote. */
  readonly preActivatedFeatures: ReadonlyMap<number, number>;
  /** Above this height, window and votes are doubled; -1: always. */
  readonly doubleFeaturesPeriodsAfterHeight: number;
  /** Fee voting window, in blocks; > 0. */
  readonly feeVoteBlocksPeriod: number;
  /** Net votes that change the fee price by a step; > 0. */
  readonly blocksForFeeChange: number;
  /** After the bonus period, in 10^-8 tokens. */
  readonly miningReward: bigint;
  /** Per remaining block of the bonus period, in 10^-8 tokens. */
  readonly miningRewardBonus: bigint;
  /** Blocks. */
  readonly miningRewardBonusPeriod: number;
  /** Blocks until the tokens of a cancelled lease are released. */
  readonly leaseUnbondingPeriod: number;
  /** Transfers to these addresses (26 bytes) burn tokens. */
  readonly burnAddresses: readonly Uint8Array[];
  /**
   * The height whose unbonding releases are lost: a defect of the reference nodes that made the chain, at
   * their `max-rollback-depth` (page 05 §5, step 11). Absent on every public network.
   */
  readonly lostReleaseHeight?: number | undefined;
}

/** An initial balance. */
export interface GenesisEntry {
  /** 26 bytes, of this network. */
  readonly recipient: Uint8Array;
  /** In 10^-8 tokens, not negative. */
  readonly amount: bigint;
}

/** The genesis block. Page 03 §4. */
export interface GenesisSettings {
  /** Target of the consensus, in whole seconds. */
  readonly averageBlockDelaySeconds: number;
  readonly initialBaseTarget: bigint;
  /** Of the transactions, ms. */
  readonly timestamp: bigint;
  /** Of the block, ms. */
  readonly blockTimestamp: bigint;
  /** Initial supply. By protocol not compared with the sum of the transactions. */
  readonly initialBalance: bigint;
  /** At most 127. */
  readonly transactions: readonly GenesisEntry[];
  /** Signature of the block, 64 bytes. Checked if present, otherwise computed. */
  readonly signature?: Uint8Array;
}

/** Forging on this network. Only the last member is consensus. Page 03 §10, §17. */
export interface ForgingSettings {
  readonly microBlockIntervalMs: number;
  /** Minimum age of a micro block to build on, ms. */
  readonly minMicroBlockAgeMs: number;
  /** Maximum age of the last key block while forging, ms; absent: no limit. */
  readonly intervalAfterLastBlockMs?: number;
  /** At most 500. Also the limit for micro blocks received (page 03 §11). */
  readonly maxTransactionsInMicroBlock: number;
}

/** Default peer settings. Page 04 §3. */
export interface PeerDefaults {
  /** Listening port. */
  readonly port: number;
  /** Initial peers, as `host:port`. */
  readonly known: readonly string[];
  /** Duration of a ban, ms. */
  readonly blacklistMs: number;
}

export interface NetworkProfile {
  readonly name: "mainnet" | "testnet" | "dev" | "custom";
  /** The network's own name, `LTO`; also the prefix of environment variables. */
  readonly networkName: string;
  /** Unsigned byte. */
  readonly chainId: number;
  /** True if transaction type 2, payment, exists. Page 02 §10.17. */
  readonly payment: boolean;
  readonly functionality: Functionality;
  readonly genesis: GenesisSettings;
  readonly forging: ForgingSettings;
  readonly peers: PeerDefaults;
  /** Ed25519 key (32 bytes) whose checkpoints are accepted; absent: none. Page 03 §15. */
  readonly checkpointKey?: Uint8Array;
  /** Blocks. */
  readonly rollbackDepth: number;
  /** True if transactions are indexed for every address. */
  readonly indexAll: boolean;
  /** Warnings for the operator. */
  readonly warnings: readonly string[];
}
