/** What makes a network. Page 03 §4-§5, §17. */

/** Feature voting, fee voting, rewards, leases, burning. Page 03 §5.2. */
export interface Functionality {
  /** Base length of the voting window, in blocks; > 0. */
  readonly featureCheckBlocksPeriod: number;
  /** Base number of votes that approve a feature; 1 to the period. */
  readonly blocksForFeatureActivation: number;
  /** Features that are active from a height on without a vote: id -> height. */
  readonly preActivatedFeatures: ReadonlyMap<number, number>;
  /** Above this height window and votes are doubled; -1: always. */
  readonly doubleFeaturesPeriodsAfterHeight: number;
  /** Fee voting window, in blocks; > 0. */
  readonly feeVoteBlocksPeriod: number;
  /** Net votes that change the fee price by a step; > 0. */
  readonly blocksForFeeChange: number;
  /** Mining reward once the bonus is gone, in 10^-8 tokens. */
  readonly miningReward: bigint;
  /** Bonus for each block left of the bonus period, in 10^-8 tokens. */
  readonly miningRewardBonus: bigint;
  /** Blocks until the bonus is gone. */
  readonly miningRewardBonusPeriod: number;
  /** Blocks that a cancelled lease stays unbonding. */
  readonly leaseUnbondingPeriod: number;
  /** Addresses (26 bytes) to which a transfer burns. */
  readonly burnAddresses: readonly Uint8Array[];
  /**
   * The height whose unbonding releases are lost: the `max-rollback-depth` of the reference nodes that made the chain,
   * a defect of theirs (page 05 §5, step 11). Absent: none is lost, which is how every public network behaves.
   */
  readonly lostReleaseHeight?: number | undefined;
}

/** An initial balance. */
export interface GenesisEntry {
  /** Address, 26 bytes, of this network. */
  readonly recipient: Uint8Array;
  /** In 10^-8 tokens, not negative. */
  readonly amount: bigint;
}

/** What the first block is made of. Page 03 §4. */
export interface GenesisSettings {
  /** Average block delay that consensus aims at, in whole seconds. */
  readonly averageBlockDelaySeconds: number;
  readonly initialBaseTarget: bigint;
  /** Timestamp of the transactions, ms. */
  readonly timestamp: bigint;
  /** Timestamp of the block, ms. */
  readonly blockTimestamp: bigint;
  /** Supply at the start. Not compared with the sum of the transactions, by protocol. */
  readonly initialBalance: bigint;
  /** At most 127. */
  readonly transactions: readonly GenesisEntry[];
  /** Signature of the block (64 bytes) when it is stated; it is checked, and computed when absent. */
  readonly signature?: Uint8Array;
}

/** Timings and limits of forging on this network; not consensus, but for the last. Page 03 §10, §17. */
export interface ForgingSettings {
  /** Time between two micro blocks, ms. */
  readonly microBlockIntervalMs: number;
  /** Age from which on a micro block is built upon, ms. */
  readonly minMicroBlockAgeMs: number;
  /** Age of the last key block up to which a node forges, ms; absent: no limit. */
  readonly intervalAfterLastBlockMs?: number;
  /** At most 500. Also the limit for micro blocks received (page 03 §11). */
  readonly maxTransactionsInMicroBlock: number;
}

/** How the nodes of a network find each other, unless an operator says otherwise. Page 04 §3. */
export interface PeerDefaults {
  /** Where a node listens. */
  readonly port: number;
  /** Nodes to begin with, as `host:port`. */
  readonly known: readonly string[];
  /** How long a node is banned, ms. */
  readonly blacklistMs: number;
}

/** A network, as all parts of a node need it. */
export interface NetworkProfile {
  /** `mainnet`, `testnet`, `dev` or `custom`. */
  readonly name: "mainnet" | "testnet" | "dev" | "custom";
  /** The name that the network calls itself, `LTO`; also the prefix of environment variables. */
  readonly networkName: string;
  /** Chain id as an unsigned byte. */
  readonly chainId: number;
  /** Whether transaction type 2, payment, exists here. Page 02 §10.17. */
  readonly payment: boolean;
  readonly functionality: Functionality;
  readonly genesis: GenesisSettings;
  readonly forging: ForgingSettings;
  readonly peers: PeerDefaults;
  /** Ed25519 key (32 bytes) whose checkpoints nodes accept; absent: nobody's. Page 03 §15. */
  readonly checkpointKey?: Uint8Array;
  /** How many blocks can be rolled back. */
  readonly rollbackDepth: number;
  /** Whether transactions are indexed for every address. */
  readonly indexAll: boolean;
  /** What an operator should be told about this network. */
  readonly warnings: readonly string[];
}
