/** Creates genesis files. Page 03 §4. */
import { GenesisError } from "../../blocks/errors.ts";
import { genesisBlock } from "../../blocks/genesis.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { INT64_MAX } from "../../bytes/int64.ts";
import { type JsonOut, parseJson, printIndentedJson } from "../../bytes/json.ts";
import { Chain, ChainError } from "../../chain/chain.ts";
import { MIN_GAP_MS } from "../../consensus/forging-gap.ts";
import { type GenesisMiner, initialBaseTarget } from "../../consensus/genesis-base-target.ts";
import { fairDelay, hit, minimumGeneratingBalance } from "../../consensus/proof-of-stake.ts";
import { addressText } from "../../crypto/addresses.ts";
import type { Log } from "../../interfaces.ts";
import {
  customProfile,
  Feature,
  implementedFeatures,
  type NetworkProfile,
  ProfileError,
} from "../../profiles/index.ts";
import { systemClock } from "../../runtime/system.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { UsageError } from "../exit-codes.ts";
import { type Forecast, forecastOf } from "./forecast.ts";

const noLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

export interface Founder {
  readonly address: Uint8Array;
  readonly publicKey: Uint8Array | undefined;
  /** Units of 10^-8 tokens. */
  readonly amount: bigint;
}

/** The choices for a new network; other values are those of the protocol's genesis generator. Page 03 §4.5. */
export interface NetworkPlan {
  readonly name: string;
  /** Default of this and of `tokenSymbol`: derived from `name`. */
  readonly displayName?: string | undefined;
  readonly tokenSymbol?: string | undefined;
  readonly chainId: string;
  readonly averageBlockDelayMs: number;
  /** Time of the genesis block and its transactions, ms since 1970. */
  readonly timestamp: bigint;
  /** Activation height by feature id. */
  readonly features: ReadonlyMap<number, number>;
  readonly founders: readonly Founder[];
  /** Undefined: `chosenBaseTarget` computes it. */
  readonly baseTarget: bigint | undefined;
}

export interface PlannedNetwork {
  readonly profile: NetworkProfile;
  readonly genesisText: string;
  /** Delay from the genesis block to the first forged block, ms; undefined if no key of a forger is known. */
  readonly firstBlockMs: number | undefined;
  readonly forecast: Forecast | undefined;
}

const PUBLIC_CHAIN_IDS = "LT";
const MIN_DELAY_MS = 5_000;
const MAX_DELAY_MS = 3_600_000;
/** Consensus uses whole seconds. */
const SECOND_MS = 1_000;

function accountsWithKeys(plan: NetworkPlan): GenesisMiner[] {
  return plan.founders.flatMap(({ publicKey, amount }) =>
    publicKey === undefined ? [] : [{ publicKey, balance: amount }],
  );
}

function checkPlan({ chainId, averageBlockDelayMs, features, founders }: NetworkPlan): void {
  if (!/^[!-~]$/.test(chainId))
    throw new ProfileError(`Invalid chain id '${chainId}': use one visible ASCII character`);
  if (PUBLIC_CHAIN_IDS.includes(chainId))
    throw new ProfileError(
      `The chain id ${chainId} belongs to a public network: transactions of that network would be valid on yours. Choose another one`,
    );
  if (averageBlockDelayMs < MIN_DELAY_MS || averageBlockDelayMs > MAX_DELAY_MS)
    throw new ProfileError(
      "The average block delay must be from 5 seconds, the protocol's minimum, to an hour",
    );
  if (averageBlockDelayMs % SECOND_MS !== 0)
    throw new ProfileError(
      "The average block delay must be in whole seconds, because consensus counts in seconds",
    );
  for (const id of features.keys())
    if (!implementedFeatures.has(id)) throw new ProfileError(`Unknown feature ${id}`);
  if (founders.length === 0) throw new ProfileError("No account has tokens: add accounts");
  const addresses = new Set<string>();
  let supply = 0n;
  for (const { address, amount } of founders) {
    const text = addressText(address);
    if (addresses.has(text)) throw new ProfileError(`The account ${text} is given twice`);
    addresses.add(text);
    if (amount <= 0n) throw new ProfileError(`The balance of account ${text} must be above 0`);
    supply += amount;
  }
  if (supply > INT64_MAX) throw new ProfileError(`The total balance exceeds ${INT64_MAX} units`);
}

function minimumForgingBalance({ features }: NetworkPlan): bigint {
  return minimumGeneratingBalance(features.get(Feature.MinimalGeneratingBalance) === 0);
}

function checkForgers(plan: NetworkPlan, withKeys: readonly GenesisMiner[]): void {
  const minimum = minimumForgingBalance(plan);
  if (plan.founders.every(({ amount }) => amount < minimum))
    throw new ProfileError(`No account could forge: an account needs at least ${minimum} units`);
  if (withKeys.some(({ balance }) => balance >= minimum) || plan.baseTarget !== undefined) return;
  throw new ProfileError(
    "The base target depends on the public key of a forger: give a key or seed instead of the address, or --base-target",
  );
}

type JsonMembers = { readonly [name: string]: JsonOut };

const FUNCTIONALITY = {
  "feature-check-blocks-period": 1_000,
  "blocks-for-feature-activation": 100,
  "double-features-periods-after-height": 100_000_000,
  "fee-vote-blocks-period": 10,
  "blocks-for-fee-change": 6,
  "mining-reward": 1_000_000_000,
  "mining-reward-bonus": 1_000_000,
  "mining-reward-bonus-period": 500,
  "lease-unbonding-period": 10,
} as const;

function genesisMembers(
  plan: NetworkPlan,
  baseTarget: bigint,
  signature: Uint8Array | undefined,
): JsonMembers {
  const { averageBlockDelayMs, timestamp, features, founders } = plan;
  return {
    "address-scheme-character": plan.chainId,
    functionality: {
      "pre-activated-features": new Map(
        Array.from(features, ([id, height]): [string, JsonOut] => [String(id), height]).sort(
          ([a], [b]) => Number(a) - Number(b),
        ),
      ),
      ...FUNCTIONALITY,
      "burn-addresses": [],
    },
    genesis: {
      "average-block-delay": `${averageBlockDelayMs / SECOND_MS}s`,
      "initial-base-target": baseTarget,
      timestamp,
      "block-timestamp": timestamp,
      "initial-balance": founders.reduce((sum, { amount }) => sum + amount, 0n),
      signature: signature === undefined ? undefined : encodeBase58(signature),
      transactions: founders.map(({ address, amount }) => ({ recipient: addressText(address), amount })),
    },
  };
}

function fileText(plan: NetworkPlan, baseTarget: bigint, signature?: Uint8Array): string {
  const { name, displayName, tokenSymbol } = plan;
  const names = { name, "display-name": displayName, "token-symbol": tokenSymbol };
  return `${printIndentedJson({ ...names, payment: false, ...genesisMembers(plan, baseTarget, signature) })}\n`;
}

/** The reference does not have these members of a genesis file. */
const OWN_MEMBERS: ReadonlySet<string> = new Set(["name", "display-name", "token-symbol", "payment"]);

/**
 * Converts a genesis file to a configuration of the reference: JSON within HOCON. Page 03 §4.5.
 * @throws ProfileError for an invalid file or a network that the reference cannot run
 */
export function referenceConfiguration(text: string): string {
  const profile = customProfile(text);
  if (profile.payment)
    throw new ProfileError(
      "The network has transactions of type 2 (payment), which the reference does not support",
    );
  const settings = parseJson(text);
  // `customProfile` accepts only objects.
  const members = settings instanceof Map ? settings : new Map<string, JsonOut>();
  const referenceMembers = new Map(Array.from(members).filter(([name]) => !OWN_MEMBERS.has(name)));
  return (
    `lto {\n  max-rollback-depth = ${profile.rollbackDepth}\n  index-all-transactions = true\n` +
    `  blockchain.type = CUSTOM\n  blockchain.custom = ${printIndentedJson(referenceMembers, "  ")}\n` +
    `  miner.micro-block-interval = ${profile.forging.microBlockIntervalMs}ms\n` +
    `  miner.min-micro-block-age = ${profile.forging.minMicroBlockAgeMs}ms\n}\n`
  );
}

function firstBlockMs(forgers: readonly GenesisMiner[], baseTarget: bigint): number | undefined {
  const delays = forgers.map(({ publicKey, balance }) =>
    Number(fairDelay(hit(new Uint8Array(32), publicKey), baseTarget, balance)),
  );
  return delays.length === 0 ? undefined : Math.min(...delays);
}

function forecast(plan: NetworkPlan, forgers: readonly GenesisMiner[], baseTarget: bigint): Forecast {
  const balances = forgers.map(({ balance }) => balance);
  return forecastOf(balances, plan.averageBlockDelayMs / SECOND_MS, baseTarget);
}

/**
 * Returns the base target at which the slowest forger's first block is due after about the average delay. If forgers
 * would tie at it, returns `steadyBaseTarget`, if defined.
 */
function chosenBaseTarget(plan: NetworkPlan, forgers: readonly GenesisMiner[]): bigint {
  const generated = initialBaseTarget(forgers, BigInt(plan.averageBlockDelayMs));
  const { firstGapMs, steadyBaseTarget } = forecast(plan, forgers, generated);
  return firstGapMs < MIN_GAP_MS ? (steadyBaseTarget ?? generated) : generated;
}

/**
 * Makes the genesis file, and checks it by opening its chain in memory.
 * @throws ProfileError, GenesisError, ChainError
 */
export function planNetwork(plan: NetworkPlan): PlannedNetwork {
  checkPlan(plan);
  const withKeys = accountsWithKeys(plan);
  checkForgers(plan, withKeys);
  const minimum = minimumForgingBalance(plan);
  const forgers = withKeys.filter(({ balance }) => balance >= minimum);
  const target = plan.baseTarget ?? chosenBaseTarget(plan, forgers);
  const { signature } = genesisBlock(customProfile(fileText(plan, target)));
  const text = fileText(plan, target, signature);
  const profile = customProfile(text);
  Chain.open({
    store: memoryStore({ rollbackDepth: profile.rollbackDepth }),
    profile,
    indexes: [],
    clock: systemClock,
    log: noLog,
    options: { stopOnUnsupportedFeature: true },
  });
  return {
    profile,
    genesisText: text,
    firstBlockMs: firstBlockMs(forgers, target),
    forecast: forgers.length === 0 ? undefined : forecast(plan, forgers, target),
  };
}

/** @throws UsageError for an invalid plan or file */
export function withUsageErrors<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof ProfileError || error instanceof GenesisError || error instanceof ChainError)
      throw new UsageError(error.message);
    throw error;
  }
}
