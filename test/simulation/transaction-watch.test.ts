/** The watch reports lost transactions, and no others. */

import { beforeEach, expect, test } from "vitest";
import { buildMicroBlock } from "../../src/blocks/micro-block.ts";
import { atOnce } from "../../src/chain/testing/at-once.ts";
import { addressOf } from "../../src/crypto/addresses.ts";
import { dev } from "../../src/profiles/index.ts";
import { tables } from "../../src/storage/tables.ts";
import { buildTransaction, typeOf } from "../../src/testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../../src/testing/dev-node.ts";
import { type Transaction, transactionId } from "../../src/transactions/index.ts";
import { TransactionWatch } from "./transaction-watch.ts";

const LTO = 100_000_000n;

let node: DevNode;
let lost: string[];
/** Without a peer the node forges no blocks. */
let connections: () => number;
let watch: TransactionWatch;

beforeEach(() => {
  connections = () => 1;
  node = new DevNode({ settings: { forging: { quorum: 1 } }, connections: () => connections() });
  lost = [];
  watch = new TransactionWatch(node, (text) => lost.push(text));
  node.chain.onChange((change) => watch.follow(change));
  node.forger.start();
});

function make(type: string, members: Record<string, unknown>, fee = LTO): Transaction {
  const timestamp = node.clock.now();
  return buildTransaction({
    type: typeOf(type),
    sender: rootKeyPair,
    fee,
    timestamp,
    chainId: dev.chainId,
    members,
  });
}

function lease(): Transaction {
  return make("lease", { recipient: addressOf(keyPairOf("alice").publicKey, dev.chainId), amount: LTO });
}

const isOnChain = (transaction: Transaction): boolean =>
  node.chain.ledger((ledger) => ledger.knownTransaction(transactionId(transaction)) !== undefined);

const isWaiting = (transaction: Transaction): boolean => node.pool.has(transactionId(transaction));

/** Sends a transaction and waits until the node has forged it. */
function forge(transaction: Transaction): void {
  expect(node.pool.add(transaction)).toEqual({ ok: true, value: { added: true } });
  for (let seconds = 0; seconds < 300 && !isOnChain(transaction); seconds++) node.clock.advance(1_000);
  expect(isOnChain(transaction)).toBe(true);
}

/** Removes the newest block with its micro blocks. */
function undo(returnTransactions = true): void {
  const { height } = node.chain.tip;
  const parent = node.chain.read((reader) => reader.get(tables.headers, height - 1));
  if (parent === undefined) throw new RangeError("Only the genesis block is left");
  node.chain.removeAfter(parent.signature, { returnTransactions });
}

/** Waits for the next key block: the block below it then holds what was forged. */
function nextBlock(): void {
  const { height } = node.chain.tip;
  for (let seconds = 0; seconds < 300 && node.chain.tip.height === height; seconds++)
    node.clock.advance(1_000);
  expect(node.chain.tip.height).toBe(height + 1);
}

/** A lease on the chain and two cancellations of it. The second has the higher fee. */
function rivals(): [Transaction, Transaction] {
  const lent = lease();
  forge(lent);
  nextBlock();
  const leaseId = transactionId(lent);
  return [make("cancel lease", { leaseId }), make("cancel lease", { leaseId }, 2n * LTO)];
}

test("a transaction dropped for a conflicting one is not lost when that one returns to the pool", () => {
  const [given, taken] = rivals();
  forge(given);
  undo();
  expect(isWaiting(given)).toBe(true);
  forge(taken);
  expect(isWaiting(given)).toBe(false);
  undo();
  expect(isWaiting(taken)).toBe(true);
  watch.check();
  expect(lost).toEqual([]);
  // It was only dropped: the pool accepts it again.
  expect(node.pool.add(given)).toEqual({ ok: true, value: { added: true } });
});

test("a transaction dropped for one in another node's block is not lost", () => {
  const [given, taken] = rivals();
  forge(given);
  undo();
  // The key block is forged, and no transactions are selected for it.
  const { length } = node.blocks;
  connections = () => (node.blocks.length > length ? 0 : 1);
  nextBlock();
  const { micro } = buildMicroBlock(node.chain.forging.liquidBlock(), [taken], rootKeyPair);
  expect(atOnce(node.chain.acceptMicroBlock(micro)).ok).toBe(true);
  expect(isWaiting(given)).toBe(true);
  connections = () => 1;
  for (let seconds = 0; seconds < 300 && isWaiting(given); seconds++) node.clock.advance(1_000);
  expect(isWaiting(given)).toBe(false);
  expect(isOnChain(taken)).toBe(true);
  while (isOnChain(taken)) undo();
  expect(isWaiting(taken)).toBe(true);
  watch.check();
  expect(lost).toEqual([]);
});

test("a reverted transaction that the pool does not accept back is lost", () => {
  const lent = lease();
  forge(lent);
  undo(false);
  expect(lost).toEqual([
    expect.stringMatching(/ of type 8 is valid, and neither on the chain nor in the pool$/),
  ]);
});

test("a returned transaction that the pool drops without a reason is lost", () => {
  const lent = lease();
  forge(lent);
  undo();
  expect(lost).toEqual([]);
  node.pool.remove([transactionId(lent)]);
  watch.check();
  expect(lost).toHaveLength(1);
});

test("a transaction that is dropped although it is valid after the selected ones is lost", () => {
  const lent = lease();
  forge(lent);
  undo();
  node.pool.remove([transactionId(lent)]);
  expect(lost).toEqual([]);
  forge(make("lease", { recipient: addressOf(keyPairOf("bob").publicKey, dev.chainId), amount: LTO }));
  expect(lost).toHaveLength(1);
});
