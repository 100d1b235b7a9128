/** A follower with a cursor ends with the chain, or learns that it cannot. */

import { expect, test } from "vitest";
import { type Block, buildBlock } from "../../blocks/block.ts";
import { buildMicroBlock } from "../../blocks/micro-block.ts";
import { bytesKey } from "../../bytes/compare.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { AppliedUnit, ChainCursor, UnitChanges } from "../../interfaces.ts";
import { dev } from "../../profiles/index.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { tables } from "../../storage/tables.ts";
import { DiskFullError, FailingStore } from "../../storage/testing/failing-store.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { keyPairOf, rootKeyPair } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { silentLog } from "../../testing/silent-log.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Transaction } from "../../transactions/index.ts";
import { Chain } from "../chain.ts";
import type { AppendResult } from "../deciding/block-refusal.ts";
import { atOnce } from "../testing/at-once.ts";
import { chainStart, changesSince, newestUnit } from "./changes.ts";
import { headerRow } from "./rows.ts";

/** More with `npm run soak:undo -- --times N`. */
const CASES = Number(process.env.SOAK_TIMES ?? 60);
const FIRST_SEED = Number(process.env.SOAK_SEED ?? 1);
const STEPS = 60;

const recipient = addressOf(keyPairOf("somebody").publicKey, dev.chainId);

/** Everything that a follower sees of a unit, as text. */
function textOf({ height, sequence, id, timestamp, generator, transactions }: AppliedUnit): string {
  const listed = transactions.map(
    ({ id: own, position, effectiveFee, effectiveSponsor }) =>
      `${position} ${bytesKey(own)} ${effectiveFee} ${effectiveSponsor && bytesKey(effectiveSponsor)}`,
  );
  return [height, sequence, bytesKey(id), timestamp, bytesKey(generator), ...listed].join("\n");
}

/** A follower's copy of the chain. Any contradiction is an error. */
class Belief {
  units: string[] = [];
  cursor: ChainCursor = chainStart;

  apply({ reverted, committed }: UnitChanges): void {
    for (const unit of reverted) expect(this.units.pop()).toBe(textOf(unit));
    for (const unit of committed) this.units.push(textOf(unit));
  }
}

/** A chain that grows, forks, shrinks and reopens, with randomly failing commits. */
class RestlessChain {
  readonly store: FailingStore;
  chain: Chain;
  readonly heard = new Belief();
  private readonly blocks: Block[] = [];

  constructor(private readonly random: SeededRandom) {
    this.store = new FailingStore(memoryStore(), random);
    this.chain = this.open();
    this.heard.apply({ reverted: [], committed: this.read(chainStart, 10).committed });
  }

  private open(): Chain {
    const chain = Chain.open({
      store: this.store,
      profile: dev,
      indexes: [],
      clock: new VirtualClock(Number(dev.genesis.blockTimestamp)),
      log: silentLog,
      options: { stopOnUnsupportedFeature: true },
    });
    chain.onChange((change) => this.heard?.apply(change));
    return chain;
  }

  read(cursor: ChainCursor, limit: number) {
    const changes = this.store.read((reader) => changesSince(reader, dev, cursor, limit));
    if (changes.kind !== "changes") throw new Error("The cursor is out of reach");
    return changes;
  }

  step(): void {
    const { random, store } = this;
    store.faults.commits = 15;
    try {
      const what = random.below(100);
      if (what < 40) this.grow();
      else if (what < 65) this.growMicro();
      else if (what < 75) this.compete();
      else if (what < 85) this.shrink();
      else if (what < 95) this.again();
      else this.chain = this.open();
    } catch (error) {
      if (!(error instanceof DiskFullError)) throw error;
    } finally {
      store.faults.commits = 0;
    }
  }

  private transactions(): Transaction[] {
    const { random, chain } = this;
    return Array.from({ length: random.below(3) }, () =>
      buildTransaction({
        type: 4,
        sender: rootKeyPair,
        fee: 100_000_000n,
        timestamp: chain.tip.keyBlock.timestamp + BigInt(random.below(1_000)),
        chainId: dev.chainId,
        members: { recipient, amount: 1n + BigInt(random.below(1_000_000)), attachment: new Uint8Array(0) },
      }),
    );
  }

  private block(reference: Uint8Array, timestamp: bigint, baseTarget = 1_000n): Block {
    return buildBlock(
      {
        version: 4,
        timestamp,
        reference,
        baseTarget,
        generationSignature: new Uint8Array(32),
        features: [],
        feeVote: 0,
        transactions: this.transactions(),
      },
      rootKeyPair,
    );
  }

  private grow(): void {
    const { tip } = this.chain;
    const { random } = this;
    const references = [tip.keyBlock.id, ...tip.microBlocks.map(({ id }) => id)];
    const reference = !tip.liquid || random.chance(60) ? tip.id : random.pick(references);
    this.take(this.block(reference, tip.keyBlock.timestamp + 5_000n));
  }

  private take(block: Block): void {
    if (this.chain.process(block).ok) this.blocks.push(block);
  }

  private growMicro(): void {
    const { chain } = this;
    const transactions = this.transactions();
    if (!chain.tip.liquid || chain.tip.height < 2 || transactions.length === 0) return;
    atOnce(
      chain.acceptMicroBlock(buildMicroBlock(chain.forging.liquidBlock(), transactions, rootKeyPair).micro),
    );
  }

  private compete(): void {
    const { liquid, height, keyBlock } = this.chain.tip;
    if (!liquid || height < 2) return;
    this.take(this.block(keyBlock.reference, keyBlock.timestamp, keyBlock.baseTarget - 1n));
  }

  private shrink(): void {
    const { chain, random } = this;
    const height = Math.max(1, chain.tip.height - 1 - random.below(4));
    const id = chain.read((reader) => headerRow(reader, height).signature);
    chain.removeAfter(id, { returnTransactions: random.chance(50) });
  }

  /** An earlier block comes again. */
  private again(): AppendResult | undefined {
    const { chain, blocks } = this;
    const before = blocks.find(({ reference }) => bytesKey(reference) === bytesKey(chain.tip.id));
    return before && chain.process(before);
  }

  /** Every unit of the chain, as a new follower sees it. */
  whole(): string[] {
    return this.read(chainStart, Number.POSITIVE_INFINITY).committed.map(textOf);
  }
}

test(`${CASES} random followers with pauses end where an uninterrupted one ends`, () => {
  let reverted = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed++) {
    const random = new SeededRandom(seed);
    const restless = new RestlessChain(random);
    const sleepy = new Belief();
    for (let step = 0; step < STEPS; step++) {
      restless.step();
      if (random.chance(70)) continue;
      // One page at a time; the chain may change between two pages.
      for (let pages = 1 + random.below(4); pages > 0; pages--) {
        const limit = 1 + random.below(5);
        const changes = restless.read(sleepy.cursor, limit);
        expect(changes.reverted.length + changes.committed.length).toBeLessThanOrEqual(limit);
        reverted += changes.reverted.length;
        sleepy.apply(changes);
        sleepy.cursor = changes.cursor;
      }
    }
    for (let complete = false; !complete; ) {
      const changes = restless.read(sleepy.cursor, 3);
      sleepy.apply(changes);
      sleepy.cursor = changes.cursor;
      complete = changes.complete;
    }
    const whole = restless.whole();
    expect(sleepy.units).toEqual(whole);
    expect(restless.heard.units).toEqual(whole);
    expect(sleepy.cursor).toEqual(restless.store.read(newestUnit));
  }
  // Only useful if it slept through reorganisations.
  expect(reverted).toBeGreaterThan(CASES);
});

/** A chain of a few blocks by one generator. */
function plainChain() {
  const store = memoryStore();
  const clock = new VirtualClock(Number(dev.genesis.blockTimestamp));
  const options = { stopOnUnsupportedFeature: true };
  const chain = Chain.open({ store, profile: dev, indexes: [], clock, log: silentLog, options });
  const append = (vote: number): void => {
    const { id, keyBlock } = chain.tip;
    const block = buildBlock(
      {
        version: 4,
        timestamp: keyBlock.timestamp + 5_000n,
        reference: id,
        baseTarget: 1_000n,
        generationSignature: new Uint8Array(32),
        features: [],
        feeVote: vote,
        transactions: [],
      },
      rootKeyPair,
    );
    expect(chain.process(block).ok).toBe(true);
  };
  const since = (cursor: ChainCursor) =>
    store.read((reader) => changesSince(reader, dev, cursor, Number.POSITIVE_INFINITY));
  const cursor = (): ChainCursor => store.read(newestUnit);
  const back = (height: number): void =>
    chain.removeAfter(
      chain.read((reader) => headerRow(reader, height).signature),
      { returnTransactions: false },
    );
  return { store, chain, append, since, cursor, back };
}

test("an unknown cursor is out of reach", () => {
  const { append, since, cursor } = plainChain();
  append(0);
  const { height, sequence } = cursor();
  expect(since({ height, sequence, id: new Uint8Array(64).fill(1) })).toEqual({ kind: "out of reach" });
  expect(since({ ...cursor(), height: height + 1 })).toEqual({ kind: "out of reach" });
});

test("old reverted units are pruned, and followers from then get an error", {
  timeout: 60_000,
}, () => {
  const { store, append, since, cursor, back } = plainChain();
  append(0);
  const old = cursor();
  back(1);
  expect(since(old)).toMatchObject({ kind: "changes", complete: true, reverted: [{ id: old.id }] });
  // The log holds 4,096 units.
  for (let i = 0; i < 4_096 / 8 - 1; i++) {
    for (let j = 0; j < 8; j++) append(j % 2 === 0 ? 1 : -1);
    back(1);
  }
  expect(since(old)).toMatchObject({ kind: "changes" });
  for (let j = 0; j < 8; j++) append(1);
  const young = cursor();
  back(1);
  expect(since(old)).toEqual({ kind: "out of reach" });
  expect(since(young)).toMatchObject({ kind: "changes", cursor: { height: 1 } });
  const rows = { units: 0, order: 0 };
  store.read((reader) => {
    for (const _ of reader.range(tables.revertedUnits)) rows.units++;
    for (const _ of reader.range(tables.revertedOrder)) rows.order++;
  });
  expect(rows.order).toBe(4_096);
  expect(rows.units).toBeLessThanOrEqual(4_096);
});

test("a unit that came back is known like any other", () => {
  const { chain, append, since, cursor, back } = plainChain();
  append(0);
  const [first] = chain.read((reader) => [headerRow(reader, 2).signature]);
  const before = cursor();
  back(1);
  append(0);
  // The same block, byte for byte.
  expect(cursor().id).toEqual(first);
  expect(since(before)).toMatchObject({ reverted: [], committed: [], complete: true });
  back(1);
  append(1);
  const changes = since(before);
  expect(changes).toMatchObject({ reverted: [{ id: first }], committed: [{ id: cursor().id }] });
});
