/** Page 03 §4-§5, §17. */

/** Page 03 §5.2. */
export interface Functionality {
  /** Base length of the feature voting window, blocks; above 0. */
  readonly featureCheckBlocksPeriod: number;
  /** Base number of votes that approve a feature; from 1 to `featureCheckBlocksPeriod`. */
  readonly blocksForFeatureActivation: number;
  /** Activation heights by feature id. These features need no votes. */
  readonly preActivatedFeatures: ReadonlyMap<number, number>;
  /** Above this height, the voting window and the required votes double; -1: at every height. */
  readonly doubleFeaturesPeriodsAfterHeight: number;
  /** In blocks; above 0. */
  readonly feeVoteBlocksPeriod: number;
  /** Net votes that change the fee price by one step; above 0. */
  readonly blocksForFeeChange: number;
  /** Per block, without the bonus, 10^-8 tokens. */
  readonly miningReward: bigint;
  /** Added for each remaining block of the bonus period, 10^-8 tokens. */
  readonly miningRewardBonus: bigint;
  /** In blocks. */
  readonly miningRewardBonusPeriod: number;
  /** In blocks. */
  readonly leaseUnbondingPeriod: number;
  /** Transfers to these addresses (26 bytes) burn their tokens. */
  readonly burnAddresses: readonly Uint8Array[];
  /**
   * Height at which due lease releases are lost. The reference has this defect at the height `max-rollback-depth`
   * (page 05 §5, step 11). Absent on public networks.
   */
  readonly lostReleaseHeight?: number | undefined;
}

export interface GenesisEntry {
  /** Address, 26 bytes. */
  readonly recipient: Uint8Array;
  /** Not negative, 10^-8 tokens. */
  readonly amount: bigint;
}

/** Page 03 §4. */
export interface GenesisSettings {
  readonly averageBlockDelaySeconds: number;
  readonly initialBaseTarget: bigint;
  /** Time of the transactions, ms since 1970. */
  readonly timestamp: bigint;
  /** In ms since 1970. */
  readonly blockTimestamp: bigint;
  /** In 10^-8 tokens. The protocol does not compare this supply with the sum of the transactions. */
  readonly initialBalance: bigint;
  /** At most 127. */
  readonly transactions: readonly GenesisEntry[];
  /** 64 bytes: checked if present, otherwise computed. */
  readonly signature?: Uint8Array;
}

/** Only `maxTransactionsInMicroBlock` is a consensus rule. Page 03 §10, §17. */
export interface ForgingSettings {
  readonly microBlockIntervalMs: number;
  /** Minimum age of a micro block on which the node forges, ms. */
  readonly minMicroBlockAgeMs: number;
  /** Maximum age of the last key block on which the node forges, ms; absent: unlimited. */
  readonly intervalAfterLastBlockMs?: number;
  /** Limit for forged and received micro blocks (page 03 §11); at most 500. */
  readonly maxTransactionsInMicroBlock: number;
}

/** Page 04 §3. */
export interface PeerDefaults {
  readonly port: number;
  /** As `host:port`. */
  readonly known: readonly string[];
  readonly blacklistMs: number;
}

export interface NetworkProfile {
  readonly name: "mainnet" | "testnet" | "dev" | "custom";
  /** Such as `LTO`; also the prefix of environment variables. */
  readonly networkName: string;
  /** Name shown to users, 1 to 40 characters. */
  readonly displayName: string;
  /** Unit shown to users, 1 to 12 characters. */
  readonly tokenSymbol: string;
  /** Account names shown to users, by address: at most 100, each with the form of `displayName`. */
  readonly accountNames?: Readonly<Record<string, string>>;
  /** Unsigned byte. */
  readonly chainId: number;
  /** Enables transaction type 2. Page 02 §10.17. */
  readonly payment: boolean;
  readonly functionality: Functionality;
  readonly genesis: GenesisSettings;
  readonly forging: ForgingSettings;
  readonly peers: PeerDefaults;
  /** Ed25519 key (32 bytes) that signs checkpoints; without it, the node accepts none. Page 03 §15. */
  readonly checkpointKey?: Uint8Array;
  /** In blocks. */
  readonly rollbackDepth: number;
  /** Indexes transactions of every address. */
  readonly indexAll: boolean;
  readonly warnings: readonly string[];
}
