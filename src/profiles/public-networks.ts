/** The values of public networks are fixed. Page 03 §4.4, §5.2. */
import { base58Length, decodeBase58 } from "../bytes/base58.ts";
import { DEFAULT_ROLLBACK_DEPTH, defaultForging, defaultPeers } from "./custom.ts";
import { Feature } from "./features.ts";
import type { Functionality, GenesisEntry, NetworkProfile } from "./profile.ts";

const MAX_TEXT_LENGTH = base58Length(64);

function base58(text: string): Uint8Array {
  return decodeBase58(text, MAX_TEXT_LENGTH);
}

function entries(amounts: Record<string, bigint>): GenesisEntry[] {
  return Object.entries(amounts).map(([text, amount]) => ({ recipient: base58(text), amount }));
}

const publicFunctionality = {
  preActivatedFeatures: new Map([[Feature.MinimalGeneratingBalance, 0]]),
  doubleFeaturesPeriodsAfterHeight: -1,
  feeVoteBlocksPeriod: 1_000,
  blocksForFeeChange: 600,
  miningReward: 1_000_000_000n,
  miningRewardBonus: 1_000n,
  miningRewardBonusPeriod: 2_500_000,
} satisfies Partial<Functionality>;

const publicNetwork = {
  networkName: "LTO",
  tokenSymbol: "LTO",
  payment: false,
  forging: defaultForging,
  rollbackDepth: DEFAULT_ROLLBACK_DEPTH,
  // Off by default in the reference (`index-all-transactions`).
  indexAll: false,
  warnings: [],
} satisfies Partial<NetworkProfile>;

/** Chain id `L`. */
export const mainnet: NetworkProfile = {
  ...publicNetwork,
  name: "mainnet",
  displayName: "LTO Mainnet",
  accountNames: { "3JrGV6TeEV3ovVjsh9SPqQL48EDLET47B9U": "Burn address" },
  chainId: 0x4c,
  functionality: {
    ...publicFunctionality,
    featureCheckBlocksPeriod: 5_000,
    blocksForFeatureActivation: 4_000,
    leaseUnbondingPeriod: 3_000,
    burnAddresses: [base58("3JrGV6TeEV3ovVjsh9SPqQL48EDLET47B9U")],
  },
  genesis: {
    averageBlockDelaySeconds: 60,
    initialBaseTarget: 153_722_867n,
    timestamp: 1_547_303_338_475n,
    blockTimestamp: 1_547_303_338_475n,
    initialBalance: 50_000_000_000_000_000n,
    transactions: entries({
      "3JpzrZcSDhzRVeENoqqB98c6hTNg7WJaBKt": 100_000_000_000n,
      "3JqBJaDet2MWisRPNLtN5snCxkGHtKaLRHv": 100_000_000_000n,
      "3JygettiPvCrb7rSoWDzRHbBWKdMva2d5tu": 49_999_700_000_000_000n,
      "3JyxAP1fpeYXv77FzxihgLsDVMccwLE64rd": 100_000_000_000n,
    }),
    signature: base58(
      "3xfb8SHvXK1eUT73kqq89Ayvt2w5ivy9CM2HHVYZ6H5zjgmbukadkFhis74vXsfak9YjwUCBMQUKsKmiRPmAWaB3",
    ),
  },
  peers: {
    ...defaultPeers,
    port: 6_868,
    known: [
      "bs1.lto.network:6868",
      "bs2.lto.network:6868",
      "bs3.lto.network:6868",
      "node.ltoblockchainnode.com:6868",
      "node.ltonod.es:6868",
      "zolnode.basta.pro:6868",
    ],
  },
  checkpointKey: base58("4S3nfAPBRJcqHs41gb88fDfFUwbPR4NmYuCch1V8wY7d"),
};

/** Chain id `T`. */
export const testnet: NetworkProfile = {
  ...publicNetwork,
  name: "testnet",
  displayName: "LTO Testnet",
  chainId: 0x54,
  functionality: {
    ...publicFunctionality,
    featureCheckBlocksPeriod: 3_000,
    blocksForFeatureActivation: 2_000,
    leaseUnbondingPeriod: 1_000,
    burnAddresses: [base58("3N3pCgpW1cB1Ns56yjPFmXfBSUjNZ1cYroE")],
  },
  genesis: {
    averageBlockDelaySeconds: 60,
    initialBaseTarget: 100n,
    timestamp: 1_534_497_076_380n,
    blockTimestamp: 1_534_497_076_380n,
    initialBalance: 100_000_000_000_000_000n,
    transactions: entries({
      "3N6mZMgGqYn9EVAR2Vbf637iej4fFipECq8": 1_000_000_000_000_000n,
      "3N51gbw5W3xvSkcAXtLnXc3SQh2m9e6TBcy": 1_000_000_000_000_000n,
      "3NAxYD4nFbYqHo8gz9Hsfj13s283xNYvGNi": 90_000_000_000_000_000n,
      "3Mv7ajrPLKewkBNqfxwRZoRwW6fziehp7dQ": 1_000_000_000_000_000n,
      "3NARPnCPG4egZbFUQENZ6VDojQqMCpGEG9i": 7_000_000_000_000_000n,
    }),
    signature: base58(
      "47pP5r1Kh159XmxcfG2eQVj6dKNhub3mvGgpJovcw7EcZyJswFLYyKGYNV21BGJ8pwkajA75ZLMWFBdv3BzMRMk",
    ),
  },
  peers: {
    ...defaultPeers,
    known: ["bs1.testnet.lto.network:6863", "bs2.testnet.lto.network:6863", "bs3.testnet.lto.network:6863"],
    blacklistMs: 30 * 60 * 1_000,
  },
};
