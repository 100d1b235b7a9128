import { expect } from "vitest";
import { type Block, buildBlock } from "../../blocks/block.ts";
import { buildMicroBlock, type MicroBlock } from "../../blocks/micro-block.ts";
import { bytesKey } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { KeyPair } from "../../crypto/signatures.ts";
import { allIndexes } from "../../indexes/all.ts";
import type { ChainIndex } from "../../indexes/chain-index.ts";
import { richestIndex } from "../../indexes/richest/write.ts";
import { dev, implementedFeatures } from "../../profiles/index.ts";
import type { NetworkProfile } from "../../profiles/profile.ts";
import type { AnyTable } from "../../storage/batch/overlay.ts";
import { allTables } from "../../storage/batch/write-batch.ts";
import { allCounts } from "../../storage/counters.ts";
import type { Reader } from "../../storage/kv.ts";
import { findTransaction } from "../../storage/ledger/recorded-transactions.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import type { Store } from "../../storage/store.ts";
import { counters } from "../../storage/tables.ts";
import { DiskFullError, FailingStore } from "../../storage/testing/failing-store.ts";
import { recordChanges, revertedBlocks } from "../../testing/changes.ts";
import { keyPairOf } from "../../testing/dev-node.ts";
import { RandomTransactions, spenders, trustOfSpenders } from "../../testing/random-transactions.ts";
import type { SeededRandom } from "../../testing/seeded-random.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import { type Transaction, transactionId } from "../../transactions/index.ts";
import { Chain, type ChainChange } from "../chain.ts";
import type { AppendResult } from "../deciding/block-refusal.ts";
import { headerRow } from "../reading/rows.ts";
import { OpenChange } from "../writing/open-change.ts";
import { atOnce } from "./at-once.ts";
import { returnBlocks } from "./return-blocks.ts";

/** Short periods, so that votes, prices and releases meet in every way. */
const allAtOnce: NetworkProfile = {
  ...dev,
  functionality: {
    ...dev.functionality,
    featureCheckBlocksPeriod: 4,
    blocksForFeatureActivation: 2,
    feeVoteBlocksPeriod: 3,
    blocksForFeeChange: 1,
    leaseUnbondingPeriod: 2,
    miningReward: 100_000_000n,
    miningRewardBonusPeriod: 5,
  },
  genesis: {
    ...dev.genesis,
    signature: undefined,
    transactions: spenders.map(({ publicKey }) => ({
      recipient: addressOf(publicKey, dev.chainId),
      amount: 100_000n * 100_000_000n,
    })),
  },
};

/** The same network, with features that become active in a random order. */
function profileOf(random: SeededRandom): NetworkProfile {
  if (random.chance(40)) return allAtOnce;
  const features = new Map<number, number>();
  for (const id of implementedFeatures) features.set(id, random.chance(30) ? 0 : random.below(25));
  return { ...allAtOnce, functionality: { ...allAtOnce.functionality, preActivatedFeatures: features } };
}

const miners = [keyPairOf("miner one"), keyPairOf("miner two")];

/** Gives the index of the richest accounts sizes with which short chains update and cut it. */
export function withSmallSizes(indexes: readonly ChainIndex[]): readonly ChainIndex[] {
  const small = richestIndex({ accounts: 4, cutAbove: 6, statesPerUpdate: 12 });
  return indexes.map((index) => (index.configuration?.names[0] === "richest" ? small : index));
}

const standardIndexes = withSmallSizes(allIndexes({ trust: trustOfSpenders(dev.chainId) }));

/** Cached encodings: most rows are the same objects from one read to the next. */
const encoded = new WeakMap<object, string>();

function encodedText(table: AnyTable, value: unknown): string {
  if (typeof value !== "object" || value === null) return bytesKey(table.value.encode(value as never));
  let text = encoded.get(value);
  if (text === undefined) {
    text = bytesKey(table.value.encode(value as never));
    encoded.set(value, text);
  }
  return text;
}

/** Tables that had rows. */
export const tablesSeen = new Set<string>();

/** Every row of every journaled table, as text. */
function contents(reader: Reader): Map<string, string> {
  const rows = new Map<string, string>();
  for (const table of allTables) {
    if (!table.journaled) continue;
    for (const [key, value] of reader.scan(table, {})) {
      tablesSeen.add(table.name);
      rows.set(`${table.name} ${bytesKey(key)}`, encodedText(table, value));
    }
  }
  return rows;
}

/** The numbers of all counters, which can be read once they are committed. An entry of 0 reads like none. */
function counts(reader: Reader): Map<string, string> {
  const rows = new Map<string, string>();
  for (const counter of Object.values(counters))
    for (const { key, label, count } of allCounts(reader, counter))
      if (count !== 0) rows.set(`${counter.name} ${bytesKey(key)} ${label}`, String(count));
  return rows;
}

/** Compares all journaled rows and all counters. */
export function compareStores(actual: Pick<Store, "read">, expected: Pick<Store, "read">): void {
  expectSame(actual.read(contents), expected.read(contents));
  expectSame(actual.read(counts), expected.read(counts));
}

/** A chain that grows, forks and shrinks at random, and compares the result with what it should be. */
export class RandomChain {
  readonly store: FailingStore;
  readonly clock = new VirtualClock(Number(allAtOnce.genesis.blockTimestamp));
  readonly profile: NetworkProfile;
  chain: Chain;
  /** Indexes of the open chain. */
  protected indexes: readonly ChainIndex[] = standardIndexes;
  /** Contents of the store by height, once the block of that height is persisted without a child. */
  private readonly persisted = new Map<number, Map<string, string>>();
  /** The parts of the chain in order of arrival, to build it again. */
  private readonly dependencies: {
    readonly height: number;
    readonly part: Block | MicroBlock | "persist";
  }[] = [];
  private readonly transactions: RandomTransactions;
  /** Changes not read yet. */
  private changes: ChainChange[];
  /** True once returned blocks have other persist units than the remembered states. */
  private hasRegrown = false;
  private readonly idsGone = new Map<string, Uint8Array>();
  /** Types of the transactions that were on the chain. */
  readonly typesSeen = new Set<number>();

  /** True if blocks are so far apart that only the ids of a few are cached. */
  readonly isWide: boolean;

  /** @param failing share of failing commits, and of batches with failing reads, in percent */
  constructor(
    protected readonly random: SeededRandom,
    store: Store = memoryStore(),
    private readonly failing = 0,
  ) {
    this.store = new FailingStore(store, random);
    this.isWide = failing > 0 && random.chance(50);
    this.profile = profileOf(random);
    this.chain = this.openChain(this.store);
    this.changes = recordChanges(this.chain);
    this.transactions = new RandomTransactions(random, this.profile.chainId);
  }

  /** Adds a key block or micro block with valid transactions. */
  grow(): void {
    const { chain, random } = this;
    if (chain.tip.liquid && chain.tip.height > 1 && random.chance(60)) this.growMicro();
    else this.growKey();
  }

  private growMicro(): void {
    const { chain } = this;
    const { tip } = chain;
    const keyPair = miners.find(
      ({ publicKey }) => Buffer.compare(publicKey, tip.keyBlock.generatorKey) === 0,
    );
    if (keyPair === undefined) throw new Error("unknown forger");
    const base = chain.forging.liquidBlock();
    const transactions = this.some(1 + this.random.below(4));
    this.untilValid(transactions, (valid) => {
      if (valid.length === 0) return undefined;
      const { micro } = buildMicroBlock(base, valid, keyPair);
      return { part: micro, append: () => this.attempt(() => atOnce(chain.acceptMicroBlock(micro))) };
    });
  }

  private growKey(): void {
    const { chain, random } = this;
    const { tip } = chain;
    const sequences = [0, ...tip.microBlocks.map(({ sequence }) => sequence)];
    const sequence = tip.liquid && random.chance(30) ? random.pick(sequences) : (sequences.at(-1) ?? 0);
    const reference =
      tip.microBlocks.find((micro) => micro.sequence === sequence)?.id ??
      (tip.liquid ? tip.keyBlock.id : tip.id);
    this.rememberPersisted(tip.height, sequence);
    const spacing = this.isWide ? 900_000 : 5_000;
    const template = {
      version: 4,
      timestamp: tip.keyBlock.timestamp + BigInt(spacing + random.below(spacing)),
      reference,
      baseTarget: BigInt(500 + random.below(1000)),
      generationSignature: new Uint8Array(32),
      features: random.chance(60) ? [200] : [],
      feeVote: random.below(3) - 1,
    };
    const keyPair: KeyPair = random.pick(miners);
    const transactions = this.some(random.below(5));
    const dropped = tip.microBlocks.filter((micro) => micro.sequence > sequence).length;
    this.untilValid(transactions, (valid) => {
      const block = buildBlock({ ...template, transactions: valid }, keyPair);
      return { part: block, append: () => this.attempt(() => chain.process(block)), dropped };
    });
  }

  /** Replaces the liquid block by a better one of the same height. */
  compete(): void {
    const { chain, random } = this;
    const { tip } = chain;
    if (!tip.liquid || tip.height < 2) return;
    const template = {
      version: 4,
      timestamp: tip.keyBlock.timestamp + BigInt(random.below(5_000)),
      reference: tip.keyBlock.reference,
      baseTarget: tip.keyBlock.baseTarget - 10n,
      generationSignature: new Uint8Array(32),
      features: [],
      feeVote: 0,
    };
    const block = buildBlock({ ...template, transactions: [] }, random.pick(miners));
    const result = this.attempt(() => chain.process(block));
    expect(result.ok).toBe(true);
    this.forgetAbove(tip.height - 1);
    this.dependencies.push({ height: tip.height - 1, part: "persist" }, { height: tip.height, part: block });
    this.noteGone();
  }

  /** Removes blocks, and compares the rest with a store that never had them. */
  shrink(): void {
    const { chain, random, store } = this;
    const { tip } = chain;
    const height = Math.max(1, tip.height - 1 - random.below(this.isWide ? 9 : 4));
    if (height >= tip.height) return;
    const id = store.read((reader) => headerRow(reader, height).signature);
    this.attempt(() => chain.removeAfter(id, { returnTransactions: false }));
    expect(this.changes.flatMap(revertedBlocks)).toHaveLength(tip.height - height);
    expect(chain.tip).toMatchObject({ height, persistedHeight: height, liquid: false });
    const expected = this.persisted.get(height);
    if (expected === undefined) throw new Error(`no stored state for height ${height}`);
    if (!this.hasRegrown) this.expectShrunk(store.read(contents), expected);
    this.forgetAbove(height);
    this.dependencies.push({ height, part: "persist" });
    this.noteGone();
    // The lookup of ids is not undone row by row: it must not find what left the chain.
    store.read((reader) => {
      for (const gone of this.idsGone.values()) expect(findTransaction(reader, gone)).toBeUndefined();
    });
  }

  /** Removes blocks and accepts the same ones again, on a parent that a persist unit persisted. */
  regrow(): void {
    const { chain, store, profile } = this;
    const height = Math.max(1, chain.tip.height - 1 - this.random.below(6));
    if (height >= chain.tip.height) return;
    returnBlocks(chain, store, profile, height);
    this.hasRegrown = true;
    this.noteGone();
  }

  /** Rebuilds the chain from its parts, and compares the stores. */
  compareWithRebuilt(): void {
    const store = memoryStore();
    const again = this.openChain(store);
    for (const { part } of this.dependencies) {
      if (part === "persist") {
        again.persistTip();
        continue;
      }
      const result = "totalSignature" in part ? atOnce(again.acceptMicroBlock(part)) : again.process(part);
      if (!result.ok) throw new Error(result.error.printed);
    }
    expect(again.tip.id).toEqual(this.chain.tip.id);
    again.persistTip();
    this.chain.persistTip();
    this.dependencies.push({ height: this.chain.tip.height, part: "persist" });
    compareStores(this.store, store);
  }

  /** Repeats an operation until it succeeds. A failed attempt must change nothing. */
  protected attempt<T>(operation: () => T): T {
    const { chain, store, failing, random } = this;
    if (failing === 0) return operation();
    for (;;) {
      const { tip } = chain;
      const before = random.chance(25) ? store.read(contents) : undefined;
      Object.assign(store.faults, { commits: failing, reads: failing / 4 });
      try {
        return operation();
      } catch (error) {
        if (!(error instanceof DiskFullError)) throw error;
        Object.assign(store.faults, { commits: 0, reads: 0 });
        expect(chain.tip).toEqual(tip);
        if (before !== undefined) expectSame(store.read(contents), before);
        this.compareWithFresh();
      } finally {
        Object.assign(store.faults, { commits: 0, reads: 0 });
      }
    }
  }

  /** A chain reopened on the same store must have the same tip and know the same transactions. */
  private compareWithFresh(): void {
    const { chain, random } = this;
    const fresh = this.openChain(this.store);
    // As plain bytes: bytes from a disk store have another class.
    expect(structuredClone(chain.tip)).toEqual(structuredClone(fresh.tip));
    const { keyBlock, id } = chain.tip;
    const timestamp = keyBlock.timestamp + 1_000n;
    const known = this.dependencies
      .slice(-12)
      .flatMap(({ part }) => (part === "persist" ? [] : part.transactions))
      .filter((transaction) => transaction.type !== 1 && transaction.timestamp > timestamp - 7_200_000n);
    if (known.length === 0) return;
    const again = random.pick(known);
    const block = buildBlock(
      {
        version: 4,
        timestamp,
        reference: id,
        baseTarget: keyBlock.baseTarget,
        generationSignature: new Uint8Array(32),
        features: [],
        feeVote: 0,
        transactions: [again],
      },
      random.pick(miners),
    );
    const [expected, result] = [fresh, chain].map((one) => one.process(block));
    if (expected.ok || result.ok) throw new Error("A known transaction was accepted again");
    expect(result.error.printed).toBe(expected.error.printed);
  }

  private some(count: number): Transaction[] {
    const timestamp = Number(this.chain.tip.keyBlock.timestamp);
    return Array.from({ length: count }, () => this.transactions.next(timestamp));
  }

  /** Appends, leaving out rejected transactions. A rejection must change nothing. */
  private untilValid(
    candidates: readonly Transaction[],
    build: (
      valid: readonly Transaction[],
    ) => { part: Block | MicroBlock; append: () => AppendResult; dropped?: number } | undefined,
  ): void {
    const { chain, store } = this;
    let valid = [...candidates];
    for (;;) {
      const plan = build(valid);
      if (plan === undefined) return;
      const before = this.random.chance(25) ? store.read(contents) : undefined;
      const { tip } = chain;
      const result = plan.append();
      if (result.ok) {
        if (plan.dropped !== undefined && plan.dropped > 0) this.dependencies.splice(-plan.dropped);
        this.dependencies.push({ height: chain.tip.height, part: plan.part });
        for (const transaction of valid) {
          this.typesSeen.add(transaction.type);
        }
        this.noteGone();
        return;
      }
      if (before !== undefined) expectSame(store.read(contents), before);
      expect(chain.tip).toEqual(tip);
      const bad = result.error.cause?.transactionId;
      if (bad === undefined) throw new Error(result.error.printed);
      valid = valid.filter((transaction) => Buffer.compare(transactionId(transaction), bad) !== 0);
    }
  }

  /** Remembers the store after a rollback to this block, cut to a micro block and persisted. */
  private rememberPersisted(height: number, sequence: number): void {
    const { store } = this;
    const batch = store.begin();
    const change = new OpenChange(batch, {
      chainId: this.profile.chainId,
      payment: this.profile.payment,
      rules: this.chain.rules,
      indexing: this.chain.indexing,
      recent: undefined,
    });
    if (this.chain.tip.liquid) change.undoTo({ height, sequence });
    change.persistTip();
    this.persisted.set(height, contents(batch));
    store.abandon(batch);
  }

  private forgetAbove(height: number): void {
    while ((this.dependencies.at(-1)?.height ?? 0) > height) this.dependencies.pop();
  }

  openChain(store: Store): Chain {
    const { profile, indexes, clock } = this;
    const options = { stopOnUnsupportedFeature: false };
    return Chain.open({ store, profile, indexes, clock, log: silentLog, options });
  }

  /** Restarts as after a kill. */
  protected restart(): void {
    this.attempt(() => {
      this.chain = this.openChain(this.store);
    });
    this.changes = recordChanges(this.chain);
  }

  /** Compares the store after a rollback with the earlier one. */
  protected expectShrunk(actual: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): void {
    expectSame(actual, expected);
  }

  /** Processes the changes since the last call. */
  private noteGone(): void {
    for (const { reverted, committed } of this.changes.splice(0)) {
      for (const { transactions } of reverted)
        for (const { id } of transactions) this.idsGone.set(bytesKey(id), id);
      for (const { transactions } of committed)
        for (const { id } of transactions) this.idsGone.delete(bytesKey(id));
    }
  }
}

export function expectSame(actual: ReadonlyMap<string, string>, expected: ReadonlyMap<string, string>): void {
  const differing: string[] = [];
  for (const [key, value] of expected)
    if (actual.get(key) !== value) differing.push(actual.has(key) ? `differs: ${key}` : `missing: ${key}`);
  for (const key of actual.keys()) if (!expected.has(key)) differing.push(`surplus: ${key}`);
  expect(differing.map((line) => JSON.stringify(line))).toEqual([]);
}
