/** An extension that only adds blocks, too long for one commit. */

import { beforeAll, expect, test } from "vitest";
import { type Block, buildBlock } from "../../blocks/block.ts";
import { addressOf } from "../../crypto/addresses.ts";
import { dev } from "../../profiles/index.ts";
import { DiskError } from "../../storage/disk/disk-error.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { journaledRows } from "../../storage/testing/dump.ts";
import { FailingStore } from "../../storage/testing/failing-store.ts";
import { buildTransaction } from "../../testing/build-transaction.ts";
import { DevNode, rootKeyPair } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { VirtualClock } from "../../testing/virtual-clock.ts";
import type { Transaction } from "../../transactions/index.ts";
import type { ExtensionResult } from "../chain.ts";
import { readTip } from "../reading/tip.ts";
import { atOnce } from "../testing/at-once.ts";
import { extensionOf, standardLimits } from "../testing/extension-of.ts";

const START = Number(dev.genesis.blockTimestamp) + 60_000;
/** After the blocks, which are a minute apart. */
const LATER = START + 3_600_000;
/** Blocks of a mebibyte: a commit has eight and a bit. */
const BLOCKS = 11;

/** A node whose liquid block has a micro block. */
function nodeWithMicroBlock(store = new FailingStore(memoryStore(), new SeededRandom(1))) {
  const clock = new VirtualClock(START);
  const node = new DevNode({ clock, store });
  node.forger.start();
  clock.advance(1_000);
  const recipient = addressOf(rootKeyPair.publicKey, dev.chainId);
  const members = { recipient, amount: 1n, attachment: new Uint8Array(0) };
  const plan = { type: 4, sender: rootKeyPair, fee: 100_000_000n, timestamp: START, chainId: dev.chainId };
  node.pool.add(buildTransaction({ ...plan, members }));
  clock.advance(1_000);
  node.forger.stop();
  expect(node.chain.tip.microBlocks.length).toBeGreaterThan(0);
  clock.jump(LATER);
  return { node, store };
}

/** A transaction of ten kilobytes. */
function data(timestamp: number): Transaction {
  const entries = Array.from({ length: 10 }, (_, i) => ({
    key: String(i),
    type: "binary" as const,
    value: new Uint8Array(1_000),
  }));
  return buildTransaction({
    type: 12,
    sender: rootKeyPair,
    fee: 500_000_000n,
    timestamp,
    chainId: dev.chainId,
    members: { data: entries },
  });
}

let blocks: Block[];

beforeAll(() => {
  const { node } = nodeWithMicroBlock();
  const { chain } = node;
  blocks = [];
  for (let i = 1; i <= BLOCKS; i++) {
    const timestamp = START + 60_000 * i;
    const draft = chain.forging.draftBlock(rootKeyPair.publicKey, BigInt(timestamp), LATER);
    const transactions = Array.from({ length: 100 }, (_, n) => data(timestamp - n));
    const block = buildBlock({ ...draft, transactions, features: [], feeVote: 0 }, rootKeyPair);
    const result = atOnce(chain.accept(block));
    if (!result.ok) throw new Error(result.error.printed);
    blocks.push(block);
  }
});

/** Applies an extension. Returns its number of commits. A restart could continue after each. */
async function extend({ node, store }: ReturnType<typeof nodeWithMicroBlock>, offered: readonly Block[]) {
  const { chain, clock } = node;
  const heights: number[] = [];
  const stop = chain.onChange(({ tip }) => {
    heights.push(tip.height);
    expect(readTip(store, dev.chainId)).toEqual(tip);
  });
  let result: ExtensionResult | undefined;
  const taken = chain.acceptExtension(extensionOf(offered), standardLimits).then((end) => {
    result = end;
  });
  while (result === undefined) {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    clock.step();
  }
  await taken;
  stop();
  return { result, heights };
}

test("takes several commits, each with a better chain than before", async () => {
  const one = nodeWithMicroBlock();
  const { height } = one.node.chain.tip;
  const { result, heights } = await extend(one, blocks);
  expect(result).toMatchObject({ kind: "applied", blocks: BLOCKS, height: height + BLOCKS });
  expect(heights).toEqual([height + 9, height + BLOCKS]);
  const { chain } = one.node;
  expect(chain.tip.id).toEqual(blocks[BLOCKS - 1].signature);
});

test("a bad block near its end reverts all of it, and restores the liquid block", async () => {
  const one = nodeWithMicroBlock();
  const { tip } = one.node.chain;
  const before = journaledRows(one.store);
  const last = blocks[BLOCKS - 1];
  // Its header is valid: only applying it shows that it repeats a transaction.
  const transactions = blocks[BLOCKS - 2].transactions.slice(0, 1);
  const wrong = buildBlock({ ...last, transactions }, rootKeyPair);
  const { result, heights } = await extend(one, [...blocks.slice(0, -1), wrong]);
  expect(result).toMatchObject({ kind: "bad block", id: wrong.signature, remember: true });
  expect(heights).toEqual([tip.height + 9, tip.height]);
  expect(one.node.chain.tip).toEqual(tip);
  expect(journaledRows(one.store)).toEqual(before);
  expect((await extend(one, blocks)).result.kind).toBe("applied");
});

test("if the disk accepts only the first commit, that stays and the rest comes later", async () => {
  const one = nodeWithMicroBlock();
  const { height } = one.node.chain.tip;
  const stop = one.node.chain.onChange(() => {
    one.store.faults.commits = 100;
  });
  const { result } = await extend(one, blocks);
  stop();
  one.store.faults.commits = 0;
  expect(result).toEqual({ kind: "unable", error: expect.any(DiskError) });
  expect(one.node.chain.tip.height).toBe(height + 9);
  expect((await extend(one, blocks)).result).toMatchObject({ kind: "applied", blocks: BLOCKS - 9 });
});
