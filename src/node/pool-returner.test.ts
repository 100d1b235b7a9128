/** Transactions that are too many to return to the pool at once. */

import { expect, test, vi } from "vitest";
import { type Block, buildBlock } from "../blocks/block.ts";
import { atOnce } from "../chain/testing/at-once.ts";
import { addressOf } from "../crypto/addresses.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import { MAX_READMITTED_AT_ONCE } from "../mempool/mempool.ts";
import { dev } from "../profiles/index.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../testing/dev-node.ts";
import { VirtualClock } from "../testing/virtual-clock.ts";
import { type Transaction, transactionId } from "../transactions/index.ts";

const START = Number(dev.genesis.blockTimestamp);
const LATER = START + 600_000;
const LTO = 100_000_000n;
const alice = keyPairOf("alice");
const HALF = MAX_READMITTED_AT_ONCE / 2;

let serial = 0n;

function transfer(sender: KeyPair, to: KeyPair, amount: bigint, timestamp: number): Transaction {
  const recipient = addressOf(to.publicKey, dev.chainId);
  const members = { recipient, amount, attachment: new Uint8Array(0) };
  return buildTransaction({ type: 4, sender, fee: LTO, timestamp, chainId: dev.chainId, members });
}

const plain = (timestamp: number): Transaction => transfer(rootKeyPair, rootKeyPair, ++serial, timestamp);

function append({ chain }: DevNode, transactions: readonly Transaction[]): Block {
  const timestamp = chain.tip.keyBlock.timestamp + 60_000n;
  const draft = chain.forging.draftBlock(rootKeyPair.publicKey, timestamp, LATER);
  const block = buildBlock(
    { ...draft, transactions: [...transactions], features: [], feeVote: 0 },
    rootKeyPair,
  );
  const result = atOnce(chain.accept(block));
  if (!result.ok) throw new Error(result.error.printed);
  return block;
}

/** A node with two blocks; the second spends what the first one gave. */
function setUp(settings: ConstructorParameters<typeof DevNode>[0] = {}) {
  const node = new DevNode({ clock: new VirtualClock(LATER), accounts: [], ...settings });
  const genesis = node.chain.tip.id;
  const many = (count: number) => Array.from({ length: count }, () => plain(START + 60_000));
  const first = [transfer(rootKeyPair, alice, 10n * LTO, START + 60_000), ...many(HALF - 1)];
  const second = [...many(HALF), transfer(alice, rootKeyPair, LTO, START + 60_000)];
  const blocks = [append(node, first), append(node, second)];
  const readmit = vi.spyOn(node.pool, "readmit");
  return { node, genesis, blocks, readmit, all: [...first, ...second] };
}

async function settle(node: DevNode): Promise<void> {
  for (let turn = 0; turn < 200; turn++) {
    for (let i = 0; i < 20; i++) await Promise.resolve();
    await new Promise((resolve) => setImmediate(resolve));
    node.clock.advance(0);
  }
}

const told = (node: DevNode) => node.log.lines.filter(({ facts }) => "returned" in facts);
const has = (node: DevNode, all: readonly Transaction[]) =>
  all.filter((transaction) => node.pool.has(transactionId(transaction))).length;

test("a long rollback returns transactions in slices, with those that depend on others", async () => {
  const { node, genesis, readmit, all } = setUp();
  node.chain.removeAfter(genesis, { returnTransactions: true });
  expect(all.length).toBe(MAX_READMITTED_AT_ONCE + 1);
  expect(node.pool.size).toBe(0);
  await settle(node);
  expect(has(node, all)).toBe(all.length);
  const turns = readmit.mock.calls.map(([transactions]) => transactions.length);
  expect(Math.max(...turns)).toBeLessThanOrEqual(64);
  expect(told(node)).toEqual([
    { level: "info", message: expect.any(String), facts: { returned: all.length } },
  ]);
});

test("a short rollback returns transactions at once", () => {
  const { node, blocks, all } = setUp();
  node.chain.removeAfter(blocks[0].signature, { returnTransactions: true });
  expect(has(node, all)).toBe(HALF + 1);
});

test("transactions without room are dropped, counted and logged once", async () => {
  const { node, genesis, readmit, all } = setUp({ settings: { pool: { maxTransactions: 200 } } });
  node.chain.removeAfter(genesis, { returnTransactions: true });
  await settle(node);
  expect(has(node, all.slice(0, 200))).toBe(200);
  expect(told(node)).toEqual([
    { level: "warn", message: expect.any(String), facts: { returned: 200, dropped: all.length - 200 } },
  ]);
  // The rest is not even read.
  expect(readmit.mock.calls).toHaveLength(Math.ceil(200 / 64));
});

test("transactions that are on the chain again are not judged", async () => {
  const { node, genesis, blocks, readmit, all } = setUp();
  node.chain.removeAfter(genesis, { returnTransactions: true });
  expect(atOnce(node.chain.accept(blocks[0])).ok).toBe(true);
  await settle(node);
  expect(readmit.mock.calls.flatMap(([transactions]) => transactions)).toHaveLength(HALF + 1);
  expect(node.pool.size).toBe(HALF + 1);
  expect(has(node, all.slice(HALF))).toBe(HALF + 1);
});

test("an operator can drop them", async () => {
  const { node, genesis } = setUp();
  node.chain.removeAfter(genesis, { returnTransactions: false });
  await settle(node);
  expect(node.pool.size).toBe(0);
  expect(told(node)).toEqual([]);
});
