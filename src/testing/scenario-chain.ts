/** The chain of a scenario for the liquid layer or the pool: `state-scenarios.json`, "updaterFormat", "utxFormat". */
import { type Block, buildBlock } from "../blocks/block.ts";
import { buildMicroBlock, type MicroBlock, microBlockUnsignedBytes } from "../blocks/micro-block.ts";
import { totalBlock } from "../blocks/testing/micro-blocks.ts";
import { Chain } from "../chain/chain.ts";
import { approvalsOf } from "../chain/queries/network.ts";
import { SnapshotSource } from "../chain/queries/source.ts";
import { StoredSnapshot } from "../chain/snapshot.ts";
import { sha256 } from "../crypto/hashes.ts";
import { type KeyPair, sign } from "../crypto/signatures.ts";
import type { ReaderContext } from "../indexes/query-source.ts";
import { addressTransactionIndex } from "../indexes/transactions/write.ts";
import type { FeatureState } from "../ledger/state.ts";
import {
  type AccountSpec,
  type CertificateSpec,
  SCENARIO_CHAIN_ID,
  ScenarioWorld,
  type SettingsSpec,
  scenarioFunctionality,
  type TransactionSpec,
  UnbuildableTransaction,
} from "../ledger/testing/scenario-world.ts";
import type { NetworkProfile } from "../profiles/profile.ts";
import { memoryStore } from "../storage/memory-store.ts";
import type { Store } from "../storage/store.ts";
import { silentLog } from "./silent-log.ts";
import { VirtualClock } from "./virtual-clock.ts";

export const FIRST_TIMESTAMP = 1_640_995_200_000;
const BLOCK_TIME = 60_000;
const BASE_TARGET = 1_000;

export interface KeyBlockSpec {
  readonly id: string;
  readonly parent: string;
  readonly miner?: string;
  readonly baseTarget?: number | bigint;
  readonly timestamp?: number;
  readonly txs: readonly TransactionSpec[];
  readonly featureVotes?: readonly number[];
  readonly feeVote?: number;
  readonly badSignature?: boolean;
}

export interface MicroSpec {
  readonly id: string;
  readonly prev: string;
  readonly miner?: string;
  readonly txs: readonly TransactionSpec[];
  readonly badSignature?: boolean;
  readonly badTotalSignature?: boolean;
}

export interface ScenarioHead {
  readonly features: Readonly<Record<string, number>>;
  readonly settings?: SettingsSpec;
  readonly accounts?: Readonly<Record<string, AccountSpec>>;
  readonly genesis: Readonly<Record<string, string>>;
}

/** All settings for scenarios of our own. */
export const ownSettings: SettingsSpec = {
  featureCheckBlocksPeriod: 10_000,
  blocksForFeatureActivation: 9_000,
  feeVoteBlocksPeriod: 1_000,
  blocksForFeeChange: 600,
  miningReward: "0",
  miningRewardBonus: "0",
  miningRewardBonusPeriod: 50,
  leaseUnbondingPeriod: 20,
  burnAddresses: [],
};

/** A chain under test, with the scenario's names of blocks and transactions. */
export class ScenarioChain {
  readonly world: ScenarioWorld;
  readonly profile: NetworkProfile;
  readonly store: Store = memoryStore();
  readonly clock = new VirtualClock(FIRST_TIMESTAMP);
  readonly chain: Chain;
  readonly #ids = new Map<string, Uint8Array>();
  /** Blocks and totals by id, for micro blocks to build on. */
  readonly #totals = new Map<string, Block>();

  constructor(
    head: ScenarioHead,
    defaults: SettingsSpec,
    certificates: Readonly<Record<string, CertificateSpec>>,
  ) {
    this.world = new ScenarioWorld(head.accounts ?? {}, certificates);
    const settings = { ...defaults, ...head.settings };
    this.profile = {
      name: "custom",
      networkName: "LTO",
      displayName: "LTO",
      tokenSymbol: "LTO",
      chainId: SCENARIO_CHAIN_ID,
      payment: false,
      functionality: scenarioFunctionality(this.world, head.features, settings),
      genesis: {
        averageBlockDelaySeconds: 60,
        initialBaseTarget: BigInt(BASE_TARGET),
        timestamp: BigInt(FIRST_TIMESTAMP),
        blockTimestamp: BigInt(FIRST_TIMESTAMP),
        initialBalance: 0n,
        transactions: [],
      },
      forging: { microBlockIntervalMs: 5000, minMicroBlockAgeMs: 0, maxTransactionsInMicroBlock: 255 },
      peers: { port: 0, known: [], blacklistMs: 0 },
      rollbackDepth: 2000,
      indexAll: true,
      warnings: [],
    };
    const genesis = this.block({
      id: "genesis",
      parent: "nowhere",
      timestamp: FIRST_TIMESTAMP,
      txs: Object.entries(head.genesis).map(([recipient, amount]) => ({
        ref: `genesis ${recipient}`,
        type: "genesis",
        recipient,
        amount,
        timestamp: FIRST_TIMESTAMP,
      })),
    });
    if (genesis instanceof UnbuildableTransaction) throw genesis;
    this.chain = Chain.open(
      {
        store: this.store,
        profile: this.profile,
        indexes: [addressTransactionIndex()],
        clock: this.clock,
        log: silentLog,
        options: {
          stopOnUnsupportedFeature: false,
        },
      },
      genesis,
    );
  }

  /** Returns the id of a named block, or 64 bytes that are no block's id. */
  id(name: string): Uint8Array {
    const known = this.#ids.get(name);
    if (known !== undefined) return known;
    const half = sha256(new TextEncoder().encode(`no block ${name}`));
    return new Uint8Array([...half, ...half]);
  }

  nameOf(id: Uint8Array): string {
    for (const [name, known] of this.#ids) if (Buffer.compare(known, id) === 0) return name;
    throw new RangeError("no block of the scenario has this id");
  }

  /** Builds a key block, if its transactions can be built. */
  block(spec: KeyBlockSpec): Block | UnbuildableTransaction {
    const transactions = this.world.transactions(spec.txs);
    if (transactions instanceof UnbuildableTransaction) return transactions;
    const version = spec.parent === "nowhere" && spec.id === "genesis" ? 1 : 4;
    const timestamp = spec.timestamp ?? FIRST_TIMESTAMP + BLOCK_TIME * this.chain.tip.height;
    const built = buildBlock(
      {
        version,
        timestamp: BigInt(timestamp),
        reference: this.id(spec.parent),
        baseTarget: BigInt(spec.baseTarget ?? BASE_TARGET),
        generationSignature: new Uint8Array(32),
        transactions,
        features: spec.featureVotes ?? [],
        feeVote: spec.feeVote ?? 0,
      },
      this.#miner(spec.miner),
    );
    const block = spec.badSignature === true ? { ...built, signature: broken(built.signature) } : built;
    this.#name(spec.id, block);
    return block;
  }

  /** Builds a micro block, if its transactions can be built. */
  micro(spec: MicroSpec): MicroBlock | UnbuildableTransaction {
    const transactions = this.world.transactions(spec.txs);
    if (transactions instanceof UnbuildableTransaction) return transactions;
    const keyPair = this.#miner(spec.miner);
    const base = this.#totals.get(spec.prev) ?? { ...this.#anyBlock(), signature: this.id(spec.prev) };
    let { micro } = buildMicroBlock(base, transactions, keyPair);
    if (spec.badTotalSignature === true) {
      const forged = { ...micro, totalSignature: broken(micro.totalSignature) };
      micro = { ...forged, signature: sign(keyPair, microBlockUnsignedBytes(forged)) };
    }
    if (spec.badSignature === true) micro = { ...micro, signature: broken(micro.signature) };
    this.#name(spec.id, totalBlock(base, [micro]));
    return micro;
  }

  /** Runs `reading` on a snapshot. */
  read<T>(reading: (chain: StoredSnapshot) => T): T {
    return this.store.read((reader) => reading(new StoredSnapshot(reader, this.#context)));
  }

  /** Returns the features approved by votes. */
  approvals(): ReadonlyMap<number, FeatureState> {
    return this.store.read((reader) => approvalsOf(new SnapshotSource(reader, this.#context)));
  }

  get #context(): ReaderContext {
    const trust = { network: new Map(), root: undefined };
    return { profile: this.profile, rules: this.chain.rules, indexAll: true, trust };
  }

  #miner(name = "miner"): KeyPair {
    const { keyPair } = this.world.account(name);
    if (keyPair === undefined) throw new RangeError(`${name} cannot sign`);
    return keyPair;
  }

  #name(name: string, block: Block): void {
    this.#ids.set(name, block.signature);
    this.#totals.set(name, block);
  }

  #anyBlock(): Block {
    const [block] = this.#totals.values();
    if (block === undefined) throw new RangeError("there is no block yet");
    return block;
  }
}

function broken(signature: Uint8Array): Uint8Array {
  const other = signature.slice();
  other[0] ^= 1;
  return other;
}
