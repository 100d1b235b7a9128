/** Page 03 §5.2-§5.3; page 02 §10.17 (payment). */
import { DAY } from "../bytes/durations.ts";
import { JsonError, type JsonValue, parseJson } from "../bytes/json.ts";
import { checkAccountNames, checkDisplayNames, defaultNames } from "./display-names.ts";
import { ProfileError } from "./errors.ts";
import type {
  ForgingSettings,
  Functionality,
  GenesisSettings,
  NetworkProfile,
  PeerDefaults,
} from "./profile.ts";
import { SettingsReader } from "./settings-reader.ts";

const DEFAULT_NETWORK_NAME = "LTO";
const MIN_BLOCK_DELAY_MS = 5_000;
const SIGNATURE_LENGTH = 64;

/** The reference's defaults. Page 03 §17. */
export const defaultForging: ForgingSettings = {
  microBlockIntervalMs: 5_000,
  minMicroBlockAgeMs: 6_000,
  intervalAfterLastBlockMs: 30 * DAY,
  maxTransactionsInMicroBlock: 255,
};

/** The reference's defaults. Page 04 §3. */
export const defaultPeers: PeerDefaults = { port: 6_863, known: [], blacklistMs: 15 * 60 * 1_000 };

export const DEFAULT_ROLLBACK_DEPTH = 2_000;

/** In blocks. The genesis generator writes the same depth (page 03 §4.5). */
export const CUSTOM_ROLLBACK_DEPTH = 1_000_000;

function readFunctionality(reader: SettingsReader, chainId: number): Functionality {
  const period = reader.int32("feature-check-blocks-period");
  const votes = reader.int32("blocks-for-feature-activation");
  if (period <= 0) {
    throw new ProfileError("requirement failed: featureCheckBlocksPeriod must be greater than 0");
  }
  if (votes < 1 || votes > period) {
    throw new ProfileError(`requirement failed: blocksForFeatureActivation must be in range 1 to ${period}`);
  }
  return {
    featureCheckBlocksPeriod: period,
    blocksForFeatureActivation: votes,
    preActivatedFeatures: reader.featureHeights("pre-activated-features"),
    doubleFeaturesPeriodsAfterHeight: reader.int32("double-features-periods-after-height"),
    // At least 1, because the reference divides by these two values.
    feeVoteBlocksPeriod: reader.int32("fee-vote-blocks-period", 1),
    blocksForFeeChange: reader.int32("blocks-for-fee-change", 1),
    miningReward: reader.int64("mining-reward"),
    miningRewardBonus: reader.int64("mining-reward-bonus"),
    miningRewardBonusPeriod: reader.int32("mining-reward-bonus-period"),
    leaseUnbondingPeriod: reader.int32("lease-unbonding-period", 0),
    burnAddresses: reader.addresses("burn-addresses", chainId),
    lostReleaseHeight: reader.optionalInt32("lost-release-height", 1),
  };
}

function readGenesis(reader: SettingsReader, chainId: number, delayMs: number): GenesisSettings {
  const initialBaseTarget = reader.int64("initial-base-target");
  if (initialBaseTarget < 1n) throw new ProfileError("genesis.initial-base-target must be at least 1");
  const transactions = reader.objects("transactions").map((entry) => ({
    recipient: entry.address("recipient", chainId),
    amount: entry.int64("amount"),
  }));
  const negativeEntry = transactions.find(({ amount }) => amount < 0n);
  if (negativeEntry !== undefined) {
    throw new ProfileError(`genesis.transactions: the amount ${negativeEntry.amount} is negative`);
  }
  const signature = reader.optionalBase58("signature", SIGNATURE_LENGTH);
  return {
    averageBlockDelaySeconds: Math.trunc(delayMs / 1_000),
    initialBaseTarget,
    timestamp: reader.int64("timestamp"),
    blockTimestamp: reader.int64("block-timestamp"),
    initialBalance: reader.int64("initial-balance"),
    transactions,
    ...(signature === undefined ? {} : { signature }),
  };
}

export interface NetworkSettings
  extends Pick<
    NetworkProfile,
    | "networkName"
    | "displayName"
    | "tokenSymbol"
    | "accountNames"
    | "chainId"
    | "payment"
    | "functionality"
    | "genesis"
  > {
  readonly averageBlockDelayMs: number;
}

function parseSettings(text: string): JsonValue {
  try {
    return parseJson(text);
  } catch (error) {
    if (error instanceof JsonError)
      throw new ProfileError(`Network settings are not valid JSON: ${error.message}`);
    throw error;
  }
}

/**
 * Parses the reference's configuration object `lto.blockchain.custom` as JSON, with optional `name`, `display-name`,
 * `token-symbol`, `account-names` and `payment`. Ignores unknown members.
 * @throws ProfileError
 */
export function readNetworkSettings(text: string): NetworkSettings {
  const reader = new SettingsReader(parseSettings(text), "");
  const character = reader.text("address-scheme-character");
  if (character === "") throw new ProfileError("address-scheme-character must not be empty");
  const chainId = character.charCodeAt(0) & 0xff;
  const genesis = reader.object("genesis");
  const averageBlockDelayMs = genesis.duration("average-block-delay");
  if (averageBlockDelayMs <= 0) {
    throw new ProfileError("genesis.average-block-delay must be above 0");
  }
  const networkName = reader.optionalText("name") ?? DEFAULT_NETWORK_NAME;
  const defaults = defaultNames(networkName);
  const tokenSymbol = reader.optionalText("token-symbol") ?? defaults.tokenSymbol;
  const displayName = reader.optionalText("display-name") ?? defaults.displayName;
  checkDisplayNames(tokenSymbol, displayName);
  const accountNames = reader.textsByAddress("account-names", chainId);
  checkAccountNames(accountNames);
  return {
    networkName,
    displayName,
    tokenSymbol,
    accountNames: Object.fromEntries(accountNames),
    chainId,
    payment: reader.optionalBoolean("payment") ?? false,
    functionality: readFunctionality(reader.object("functionality"), chainId),
    genesis: readGenesis(genesis, chainId, averageBlockDelayMs),
    averageBlockDelayMs,
  };
}

/** Timings that the genesis generator chooses. Page 03 §4.5. */
function customForging(averageBlockDelayMs: number): ForgingSettings {
  return {
    ...defaultForging,
    microBlockIntervalMs: Math.max(1, Math.min(Math.floor(averageBlockDelayMs / 10), 5_000)),
    minMicroBlockAgeMs: 0,
  };
}

/** @throws ProfileError */
export function customProfile(jsonText: string): NetworkProfile {
  const { averageBlockDelayMs, ...settings } = readNetworkSettings(jsonText);
  const warnings =
    averageBlockDelayMs < MIN_BLOCK_DELAY_MS
      ? [
          `The average block delay of ${averageBlockDelayMs} ms cannot be reached: blocks are at least ${MIN_BLOCK_DELAY_MS} ms apart`,
        ]
      : [];
  return {
    name: "custom",
    ...settings,
    forging: customForging(averageBlockDelayMs),
    peers: defaultPeers,
    rollbackDepth: CUSTOM_ROLLBACK_DEPTH,
    indexAll: true,
    warnings,
  };
}
