/** Network definition. Page 03 §4-§5, §17. */

/** Feature voting, fee voting, rewards, leases, burning. Page 03 §5.2. */
export interface Functionality {
  /** Base length of the voting window, blocks; > 0. */
  readonly featureCheckBlocksPeriod: number;
  /** Base votes to approve a feature; 1 to the period. */
  readonly blocksForFeatureActivation: number;
  /** Activation height by feature id, without voting. */
  readonly preActivatedFeatures: ReadonlyMap<number, number>;
  /** Above this height, window and votes double; -1: always. */
  readonly doubleFeaturesPeriodsAfterHeight: number;
  /** Fee voting window, blocks; > 0. */
  readonly feeVoteBlocksPeriod: number;
  /** Net votes to change the fee price by a step; > 0. */
  readonly blocksForFeeChange: number;
  /** Reward after the bonus period, 10^-8 tokens. */
  readonly miningReward: bigint;
  /** Bonus per remaining block of the bonus period, 10^-8 tokens. */
  readonly miningRewardBonus: bigint;
  /** Blocks. */
  readonly miningRewardBonusPeriod: number;
  /** Delay before a cancelled lease is released, blocks. */
  readonly leaseUnbondingPeriod: number;
  /** Transfers to these addresses (26 bytes) burn their tokens. */
  readonly burnAddresses: readonly Uint8Array[];
  /**
   * Height whose unbonding releases are lost: a defect of the reference nodes that built the chain, at their
   * `max-rollback-depth` (page 05 §5, step 11). Absent on public networks.
   */
  readonly lostReleaseHeight?: number | undefined;
}

export interface GenesisEntry {
  /** 26 bytes, of this network. */
  readonly recipient: Uint8Array;
  /** 10^-8 tokens, not negative. */
  readonly amount: bigint;
}

/** The genesis block. Page 03 §4. */
export interface GenesisSettings {
  /** Consensus target, whole seconds. */
  readonly averageBlockDelaySeconds: number;
  readonly initialBaseTarget: bigint;
  /** Transaction time, ms. */
  readonly timestamp: bigint;
  /** Block time, ms. */
  readonly blockTimestamp: bigint;
  /** Initial supply. The protocol does not compare it with the sum of the transactions. */
  readonly initialBalance: bigint;
  /** At most 127. */
  readonly transactions: readonly GenesisEntry[];
  /** Block signature, 64 bytes. Checked if present, else computed. */
  readonly signature?: Uint8Array;
}

/** Only the last member is consensus. Page 03 §10, §17. */
export interface ForgingSettings {
  readonly microBlockIntervalMs: number;
  /** Minimum age of a micro block before building on it, ms. */
  readonly minMicroBlockAgeMs: number;
  /** Maximum age of the last key block, ms; absent: unlimited. */
  readonly intervalAfterLastBlockMs?: number;
  /** At most 500. Also limits received micro blocks (page 03 §11). */
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
  /** `LTO`; also the environment variable prefix. */
  readonly networkName: string;
  /** Unsigned byte. */
  readonly chainId: number;
  /** Enables payment, transaction type 2. Page 02 §10.17. */
  readonly payment: boolean;
  readonly functionality: Functionality;
  readonly genesis: GenesisSettings;
  readonly forging: ForgingSettings;
  readonly peers: PeerDefaults;
  /** Ed25519 key (32 bytes) of accepted checkpoints; absent: none. Page 03 §15. */
  readonly checkpointKey?: Uint8Array;
  /** Blocks. */
  readonly rollbackDepth: number;
  /** True to index transactions for every address. */
  readonly indexAll: boolean;
  readonly warnings: readonly string[];
}
