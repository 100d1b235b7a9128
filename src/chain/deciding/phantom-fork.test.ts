/** Nothing is undone, and no transaction is read, before a fork has proved its signatures, stakes and score. */

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type Block, buildBlock } from "../../blocks/block.ts";
import { buildMicroBlock } from "../../blocks/micro-block.ts";
import { blockScore } from "../../consensus/proof-of-stake.ts";
import { addressOf } from "../../crypto/addresses.ts";
import type { KeyPair } from "../../crypto/signatures.ts";
import { dev } from "../../profiles/index.ts";
import { WriteBatch } from "../../storage/batch/write-batch.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, keyPairOf } from "../../testing/dev-node.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Extension, ExtensionResult } from "../chain.ts";
import { readBlock } from "../reading/rows.ts";
import { atOnce } from "../testing/at-once.ts";
import { extensionOf } from "../testing/extension-of.ts";
import type { ChainEvidence } from "./extension-rules.ts";

const LTO = 100_000_000n;
const [rich, small, poor] = [keyPairOf("rich"), keyPairOf("small"), keyPairOf("poor")];
const funds = (to: KeyPair, amount: bigint) => ({ recipient: addressOf(to.publicKey, dev.chainId), amount });
const profile = {
  ...dev,
  genesis: {
    ...dev.genesis,
    signature: undefined,
    transactions: [funds(rich, 400_000_000n * LTO), funds(small, 2_000_000n * LTO)],
  },
};
const START = Number(dev.genesis.blockTimestamp) + 60_000;
const HEIGHT = 30;

/** The fields of a block that proof of stake does not determine. */
interface Made {
  readonly by: KeyPair;
  readonly timestamp?: bigint;
  readonly change?: Partial<Block>;
}

/** A chain of blocks built by the test, all with valid proof of stake. */
class Branch {
  readonly node: DevNode;

  constructor(blocks: readonly Block[] = [], clock = new VirtualClock(START + 40_000_000)) {
    this.node = new DevNode({ profile, clock, accounts: [] });
    for (const block of blocks) atOnce(this.node.chain.accept(block));
  }

  get blocks(): Block[] {
    const { chain } = this.node;
    return chain.read((reader) =>
      Array.from({ length: chain.tip.height - 1 }, (_, i) => readBlock(reader, i + 2, profile)).filter(
        (block) => block !== undefined,
      ),
    );
  }

  /** The next block, at the earliest time of its generator. */
  next({ by, timestamp, change = {} }: Made): Block {
    const { forging, tip } = this.node.chain;
    const delay = forging.blockDelay(by.publicKey, 2_000_000n * LTO);
    const at = timestamp ?? tip.keyBlock.timestamp + (delay > 60_000n ? delay : 60_000n);
    const draft = forging.draftBlock(by.publicKey, at, Number.MAX_SAFE_INTEGER);
    return buildBlock({ ...draft, transactions: [], features: [], feeVote: 0, ...change }, by);
  }

  add(made: Made): Block {
    const block = this.next(made);
    const result = atOnce(this.node.chain.accept(block));
    if (!result.ok) throw new Error(result.error.printed);
    return block;
  }
}

let ours: Branch;
let undone: number;
/** What the fork had proved when the first unit was undone. */
let onUndo: () => void;

beforeEach(() => {
  ours = new Branch();
  for (let i = 1; i < HEIGHT; i++) ours.add({ by: rich });
  undone = 0;
  onUndo = () => {};
  const { undoUnit } = WriteBatch.prototype;
  vi.spyOn(WriteBatch.prototype, "undoUnit").mockImplementation(function (this: WriteBatch, ...args) {
    if (undone++ === 0) onUndo();
    return undoUnit.apply(this, args);
  });
});

afterEach(() => vi.restoreAllMocks());

/** Offers a fork, and records what the chain reads and reports of it. */
async function offer(blocks: readonly Block[]) {
  const asked = { blocks: 0, signatures: 0 };
  const evidence: ChainEvidence[] = [];
  const inner = extensionOf(blocks);
  const extension: Extension = {
    ...inner,
    block(number, slice) {
      asked.blocks++;
      return inner.block(number, slice);
    },
    checkSignatures(from, to, slice) {
      asked.signatures += to - from;
      return inner.checkSignatures(from, to, slice);
    },
  };
  const onEvidence = (found: ChainEvidence): void => {
    expect({ undone, blocks: asked.blocks }).toEqual({ undone: 0, blocks: 0 });
    evidence.push(found);
  };
  onUndo = () =>
    expect({ evidence: evidence.length, signatures: asked.signatures }).toEqual({
      evidence: 1,
      signatures: blocks.length,
    });
  const result = await ours.node.chain.acceptExtension(extension, { maxRollback: 100, onEvidence });
  return { result, asked, evidence };
}

/** Offers a fork that must be rejected for its headers and signatures only. */
async function refuse(blocks: readonly Block[]): Promise<ExtensionResult> {
  const { tip } = ours.node.chain;
  const { result, asked, evidence } = await offer(blocks);
  expect({ undone, blocks: asked.blocks, evidence: evidence.length }).toEqual({
    undone: 0,
    blocks: 0,
    evidence: 0,
  });
  expect(ours.node.chain.tip).toEqual(tip);
  return result;
}

const refusalText = (text: string) => ({ printed: expect.stringContaining(text) });

/** A branch that leaves ours at a height. */
const forkAt = (height: number): Branch => new Branch(ours.blocks.slice(0, height - 1));

test("a fork by a key without stake undoes nothing, whatever base target it declares", async () => {
  const fork = forkAt(10);
  const declared = fork.next({ by: poor, change: { baseTarget: 1n } });
  expect(await refuse([declared])).toMatchObject({
    kind: "bad block",
    id: declared.signature,
    remember: true,
    refusal: refusalText("generator's effective balance 0 is less"),
  });
  const byRich = fork.next({ by: rich, change: { baseTarget: 1n } });
  expect(await refuse([byRich])).toMatchObject({
    refusal: refusalText("declared baseTarget 1 does not match"),
  });
  const elsewhere = fork.next({
    by: rich,
    change: { baseTarget: 1n, generationSignature: new Uint8Array(32) },
  });
  expect(await refuse([elsewhere])).toMatchObject({ remember: true });
});

test("of a fork whose first generator has no stake, one signature is checked", async () => {
  const fork = forkAt(10);
  const twentyAfter = (first: Block): Block[] => {
    const blocks = [first];
    for (let i = 0; i < 20; i++)
      blocks.push(fork.next({ by: rich, change: { reference: blocks[i].signature } }));
    return blocks;
  };
  const first = fork.next({ by: poor });
  const { result, asked } = await offer(twentyAfter(first));
  expect(result).toMatchObject({
    id: first.signature,
    remember: true,
    refusal: refusalText("generator's effective balance 0 is less"),
  });
  expect(asked).toEqual({ blocks: 0, signatures: 1 });
  // Anyone can name another account as the generator of a block: the block with that id is not remembered as bad.
  const honest = fork.next({ by: rich, change: { feeVote: 1 } });
  const renamed = { ...honest, generator: poor.publicKey };
  expect((await offer([renamed, ...twentyAfter(honest).slice(1)])).result).toMatchObject({
    remember: false,
    refusal: { kind: "InvalidSignature" },
  });
});

test("a fork with valid headers and another key's id undoes nothing, and harms no honest block", async () => {
  const fork = forkAt(10);
  while (fork.node.chain.tip.score <= ours.node.chain.tip.score)
    fork.add({ by: rich, timestamp: timeAfter(fork) });
  const honest = fork.blocks.slice(9);
  const forged = honest.map((block) => ({ ...block, feeVote: 1 }));
  expect(await refuse(forged)).toMatchObject({
    kind: "bad block",
    id: honest[0].signature,
    remember: false,
    refusal: { kind: "InvalidSignature" },
  });
  // A wrong parent before an honest block must not mark that one as bad.
  const wrongParent = { ...honest[0], generationSignature: new Uint8Array(32).fill(7) };
  expect(await refuse([wrongParent, ...honest.slice(1)])).toMatchObject({
    id: honest[0].signature,
    remember: false,
  });
  const { result, asked, evidence } = await offer(honest);
  expect(result).toMatchObject({ kind: "applied", blocks: honest.length });
  expect(undone).toBeGreaterThan(0);
  expect(asked.blocks).toBe(honest.length);
  const { height, score } = ours.node.chain.tip;
  expect(evidence).toEqual([{ height, score }]);
});

/** A time at which the rich generator's block keeps the base target low enough for a better score. */
function timeAfter(fork: Branch): bigint {
  const { forging, tip } = fork.node.chain;
  return tip.keyBlock.timestamp + forging.blockDelay(rich.publicKey, 400_000_000n * LTO);
}

test("one valid block of a small stake does not let later invalid ones undo anything", async () => {
  const fork = forkAt(HEIGHT - 2);
  const first = fork.add({ by: small });
  const needed = blockScore(first.baseTarget);
  expect(needed).toBeLessThan(ours.node.chain.tip.score);
  // Declared.
  const declared = fork.next({ by: small, change: { baseTarget: 1n } });
  expect(await refuse([first, declared])).toMatchObject({
    id: declared.signature,
    remember: true,
    refusal: refusalText("declared baseTarget 1 does not match"),
  });
  // Earlier than the stake allows; otherwise the header is valid.
  const early: Block[] = [];
  const { forging, tip } = fork.node.chain;
  const delay = forging.blockDelay(small.publicKey, 2_000_000n * LTO);
  let last = fork.next({ by: small, timestamp: tip.keyBlock.timestamp + delay - 1n });
  early.push(last);
  for (let i = 0; i < 4; i++) {
    last = buildBlock({ ...last, reference: last.signature }, small);
    early.push(last);
  }
  expect(await refuse([first, ...early])).toMatchObject({
    id: early[0].signature,
    refusal: refusalText("less than expected"),
  });
  // By a key without stake.
  const later = fork.next({ by: poor });
  const rest = [later];
  for (let i = 0; i < 3; i++) rest.push(fork.next({ by: poor, change: { reference: rest[i].signature } }));
  expect(await refuse([first, ...rest])).toMatchObject({ id: later.signature });
});

test("a fork without stake on an earlier micro block undoes no later one", async () => {
  const { chain } = ours.node;
  const transfer = (timestamp: bigint) =>
    buildTransaction({
      type: 4,
      sender: rich,
      fee: LTO,
      timestamp: Number(timestamp),
      chainId: dev.chainId,
      members: {
        recipient: addressOf(small.publicKey, dev.chainId),
        amount: 1n,
        attachment: new Uint8Array(0),
      },
    });
  const { timestamp } = chain.tip.keyBlock;
  for (let i = 1n; i < 3n; i++) {
    const { micro } = buildMicroBlock(chain.forging.liquidBlock(), [transfer(timestamp + i)], rich);
    expect(atOnce(chain.acceptMicroBlock(micro)).ok).toBe(true);
  }
  const reference = chain.tip.microBlocks[0].id;
  const phantom = ours.next({ by: poor, change: { reference } });
  expect(await refuse([phantom])).toMatchObject({ kind: "bad block", remember: false });
  // Nor when it is pushed.
  expect(atOnce(chain.accept(phantom))).toMatchObject({ ok: false });
  expect(undone).toBe(0);
  const honest = ours.next({ by: rich, change: { reference } });
  expect((await offer([honest])).result).toMatchObject({ kind: "applied" });
  expect(undone).toBe(1);
});

test("a feature decided by the common block lowers the stake that later blocks of a fork need", async () => {
  const preActivatedFeatures = new Map(dev.functionality.preActivatedFeatures);
  preActivatedFeatures.delete(1);
  const functionality = {
    ...dev.functionality,
    preActivatedFeatures,
    featureCheckBlocksPeriod: 5,
    blocksForFeatureActivation: 2,
  };
  const voting = {
    ...dev,
    functionality,
    genesis: {
      ...dev.genesis,
      signature: undefined,
      transactions: [funds(rich, 1_000_000n * LTO), funds(small, 5_000n * LTO)],
    },
  };
  const node = () =>
    new DevNode({ profile: voting, clock: new VirtualClock(START + 4_000_000_000), accounts: [] });
  const grow = (to: DevNode, by: KeyPair, balance: bigint, features: readonly number[] = []) => {
    const { forging, tip } = to.chain;
    const delay = forging.blockDelay(by.publicKey, balance);
    const at = tip.keyBlock.timestamp + (delay > 60_000n ? delay : 60_000n);
    const draft = forging.draftBlock(by.publicKey, at, Number.MAX_SAFE_INTEGER);
    const block = buildBlock({ ...draft, transactions: [], features: [...features], feeVote: 0 }, by);
    const result = atOnce(to.chain.accept(block));
    if (!result.ok) throw new Error(`${tip.height}: ${result.error.printed}`);
    return block;
  };
  const other = node();
  const blocks: Block[] = [];
  for (let height = 2; height <= 5; height++) blocks.push(grow(other, rich, 1_000_000n * LTO, [1]));
  const one = node();
  for (const block of blocks) expect(atOnce(one.chain.accept(block)).ok).toBe(true);
  // The liquid block ends a window: its votes are counted when its child persists it.
  expect(one.chain.tip).toMatchObject({ height: 5, liquid: true });
  const fork: Block[] = [];
  while (other.chain.tip.height < 10) fork.push(grow(other, rich, 1_000_000n * LTO));
  fork.push(grow(other, small, 5_000n * LTO));
  const result = await one.chain.acceptExtension(extensionOf(fork), { maxRollback: 100 });
  expect(result).toMatchObject({ kind: "applied", blocks: fork.length });
});
