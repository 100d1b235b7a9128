/** A new network, from what its founders decide to the text of its file. Loaded when a command needs it. Page 03 §4. */
import { GenesisError } from "../../blocks/errors.ts";
import { genesisBlock } from "../../blocks/genesis.ts";
import { encodeBase58 } from "../../bytes/base58.ts";
import { INT64_MAX } from "../../bytes/int64.ts";
import { type JsonOut, parseJson, printIndentedJson } from "../../bytes/json.ts";
import { Chain, ChainError } from "../../chain/chain.ts";
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

/** The chain that tries a plan out has nothing to say. */
const noLog: Log = { debug() {}, info() {}, warn() {}, error() {} };

/** Someone who is there from the first block on. */
export interface Founder {
  readonly address: Uint8Array;
  /** Ed25519 key of one who may forge; undefined: only the address is known. */
  readonly publicKey: Uint8Array | undefined;
  /** In 10^-8 tokens. */
  readonly amount: bigint;
}

/** What is decided about a network; the rest is as the protocol's own generator sets it. Page 03 §4.5. */
export interface NetworkPlan {
  readonly name: string;
  /** One character of ASCII. */
  readonly chainId: string;
  readonly averageBlockDelayMs: number;
  /** Of genesis block and transactions, ms. */
  readonly timestamp: bigint;
  /** Id to height. */
  readonly features: ReadonlyMap<number, number>;
  readonly founders: readonly Founder[];
  /** Undefined: the one that lets the first block come at about the average delay. */
  readonly baseTarget: bigint | undefined;
}

/** A network that can work. */
export interface PlannedNetwork {
  readonly profile: NetworkProfile;
  /** The file, for `--genesis`. */
  readonly text: string;
  /** How long after the genesis block the first block of one whose key is known is due, ms. */
  readonly firstBlockMs: number | undefined;
}

const PUBLIC_NETWORKS = "LT";
const MIN_DELAY_MS = 5_000;
const MAX_DELAY_MS = 3_600_000;
/** Delays that differ by their last digits are all the same: seconds count. */
const SECOND_MS = 1_000;

function forgers(plan: NetworkPlan): GenesisMiner[] {
  return plan.founders.flatMap(({ publicKey, amount }) =>
    publicKey === undefined ? [] : [{ publicKey, balance: amount }],
  );
}

/** @throws ProfileError with what is wrong, and what to do */
function check({ chainId, averageBlockDelayMs, features, founders }: NetworkPlan): void {
  if (!/^[!-~]$/.test(chainId))
    throw new ProfileError(`The chain id must be one visible character of ASCII, not '${chainId}'`);
  if (PUBLIC_NETWORKS.includes(chainId))
    throw new ProfileError(
      `The chain id ${chainId} is that of a public network: transactions of one would be valid on the other. Choose another one`,
    );
  if (averageBlockDelayMs < MIN_DELAY_MS || averageBlockDelayMs > MAX_DELAY_MS)
    throw new ProfileError(
      "The average block delay must lie between 5 seconds, the protocol's shortest, and an hour",
    );
  if (averageBlockDelayMs % SECOND_MS !== 0)
    throw new ProfileError("The average block delay must be whole seconds: consensus counts no others");
  for (const id of features.keys())
    if (!implementedFeatures.has(id)) throw new ProfileError(`There is no feature ${id}`);
  if (founders.length === 0) throw new ProfileError("Nobody owns anything: name accounts");
  const seen = new Set<string>();
  let supply = 0n;
  for (const { address, amount } of founders) {
    const text = addressText(address);
    if (seen.has(text)) throw new ProfileError(`The account ${text} is named twice`);
    seen.add(text);
    if (amount <= 0n) throw new ProfileError(`The account ${text} must own more than nothing`);
    supply += amount;
  }
  if (supply > INT64_MAX) throw new ProfileError(`All accounts together own more than ${INT64_MAX} units`);
}

function minimumForgingBalance({ features }: NetworkPlan): bigint {
  return minimumGeneratingBalance(features.get(Feature.MinimalGeneratingBalance) === 0);
}

function checkForgers(plan: NetworkPlan, miners: readonly GenesisMiner[]): void {
  const least = minimumForgingBalance(plan);
  if (plan.founders.every(({ amount }) => amount < least))
    throw new ProfileError(`Nobody could forge: that takes an account with at least ${least} units`);
  if (miners.some(({ balance }) => balance >= least) || plan.baseTarget !== undefined) return;
  throw new ProfileError(
    "The base target follows from the public key of one who will forge: give a key or seed instead of the address, or --base-target",
  );
}

/** A JSON object. */
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

/** The members of a network's file, as the protocol's own nodes know them. */
function settingsOf(plan: NetworkPlan, baseTarget: bigint, signature: Uint8Array | undefined): JsonMembers {
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
  const { name } = plan;
  return `${printIndentedJson({ name, payment: false, ...settingsOf(plan, baseTarget, signature) })}\n`;
}

/** Members of a network's file that the protocol's own nodes do not know. */
const OURS: ReadonlySet<string> = new Set(["name", "payment"]);

/**
 * The configuration of the reference's nodes for the network of a file, as their generator writes it: JSON within HOCON,
 * which contains it. Page 03 §4.5.
 * @throws ProfileError for a network that those nodes cannot have, and for what is no network
 */
export function referenceConfiguration(text: string): string {
  const profile = customProfile(text);
  if (profile.payment)
    throw new ProfileError("The network has transactions of type 2 (payment), which those nodes do not know");
  const settings = parseJson(text);
  // `customProfile` takes objects only.
  const members = settings instanceof Map ? settings : new Map<string, JsonOut>();
  const known = new Map(Array.from(members).filter(([name]) => !OURS.has(name)));
  return (
    `lto {\n  max-rollback-depth = ${profile.rollbackDepth}\n  index-all-transactions = true\n` +
    `  blockchain.type = CUSTOM\n  blockchain.custom = ${printIndentedJson(known, "  ")}\n` +
    `  miner.micro-block-interval = ${profile.forging.microBlockIntervalMs}ms\n` +
    `  miner.min-micro-block-age = ${profile.forging.minMicroBlockAgeMs}ms\n}\n`
  );
}

function firstBlockMs(
  miners: readonly GenesisMiner[],
  baseTarget: bigint,
  least: bigint,
): number | undefined {
  const delays = miners
    .filter(({ balance }) => balance >= least)
    .map(({ publicKey, balance }) =>
      Number(fairDelay(hit(new Uint8Array(32), publicKey), baseTarget, balance)),
    );
  return delays.length === 0 ? undefined : Math.min(...delays);
}

/**
 * Makes the network of a plan, and a chain of it, to be sure that its first block is accepted.
 * @throws ProfileError, GenesisError, ChainError with what is wrong
 */
export function planNetwork(plan: NetworkPlan): PlannedNetwork {
  check(plan);
  const miners = forgers(plan);
  checkForgers(plan, miners);
  const least = minimumForgingBalance(plan);
  const target =
    plan.baseTarget ??
    initialBaseTarget(
      miners.filter(({ balance }) => balance >= least),
      BigInt(plan.averageBlockDelayMs),
    );
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
    text,
    firstBlockMs: firstBlockMs(miners, target, least),
  };
}

/** What is wrong with a network is wrong with what was asked for. @throws UsageError */
export function withUsageErrors<T>(make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof ProfileError || error instanceof GenesisError || error instanceof ChainError)
      throw new UsageError(error.message);
    throw error;
  }
}
