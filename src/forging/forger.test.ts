import { expect, test } from "vitest";
import { bytesEqual } from "../bytes/compare.ts";
import { atOnce } from "../chain/testing/at-once.ts";
import { addressOf } from "../crypto/addresses.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import { WORK_PER_TRANSACTION } from "../mempool/packing.ts";
import { dev } from "../profiles/index.ts";
import { compileScript } from "../script/index.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../testing/dev-node.ts";
import type { Transaction } from "../transactions/index.ts";
import { transactionId } from "../transactions/index.ts";

const { chainId } = dev;
const LTO = 100_000_000n;
const alice = keyPairOf("alice");
const addressOfKey = ({ publicKey }: KeyPair): Uint8Array => addressOf(publicKey, chainId);

interface TransferPlan {
  readonly from?: KeyPair;
  readonly to?: Uint8Array;
  readonly amount?: bigint;
  readonly fee?: bigint;
}

function transfer(node: DevNode, plan: TransferPlan = {}): Transaction {
  return buildTransaction({
    type: 4,
    sender: plan.from ?? rootKeyPair,
    fee: plan.fee ?? LTO,
    timestamp: node.clock.now(),
    chainId,
    members: {
      recipient: plan.to ?? addressOfKey(alice),
      amount: plan.amount ?? LTO,
      attachment: new Uint8Array(0),
    },
  });
}

function send(node: DevNode, plan: TransferPlan = {}): Transaction {
  const transaction = transfer(node, plan);
  expect(node.pool.add(transaction)).toEqual({ ok: true, value: { added: true } });
  return transaction;
}

test("a lone node forges a block every 5 to 9 seconds, each at its time", () => {
  const node = new DevNode();
  node.forger.start();
  const start = node.clock.now();
  node.clock.advance(120_000);
  const { height } = node.chain.tip;
  expect(height).toBeGreaterThan(12);
  expect(height).toBeLessThan(26);
  expect(node.blocks).toHaveLength(height - 1);
  for (const [i, block] of node.blocks.entries()) {
    expect(block.version).toBe(4);
    expect(block.transactions).toHaveLength(0);
    if (i > 0) expect(Number(block.timestamp - node.blocks[i - 1].timestamp)).toBeGreaterThanOrEqual(5_000);
  }
  expect(Number(node.blocks[0].timestamp) - start).toBeLessThan(9_000);
  expect(node.forger.state).toBe("mining microblocks");
  expect(node.log.lines.filter(({ level }) => level === "warn" || level === "error")).toEqual([]);
});

test("forging continues after a fault of the machine", () => {
  const node = new DevNode();
  const { push } = node.blocks;
  node.blocks.push = () => {
    node.blocks.push = push;
    throw Object.assign(new Error("too many open files"), { code: "EMFILE" });
  };
  node.forger.start();
  node.clock.advance(60_000);
  expect(node.blocks.length).toBeGreaterThan(4);
  expect(node.log.lines.filter(({ level }) => level === "error")).toMatchObject([
    { message: "A fault of the machine interrupted forging: retrying", facts: { fault: "EMFILE" } },
  ]);
});

test("transactions of the pool enter micro blocks at the next interval", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(9_000);
  const sent = send(node);
  node.clock.advance(100);
  expect(node.microBlocks).toHaveLength(1);
  expect(node.microBlocks[0].transactions.map(transactionId)).toEqual([transactionId(sent)]);
  expect(node.pool.size).toBe(0);
  expect(node.chain.ledger((ledger) => ledger.account(addressOfKey(alice)).balance)).toBe(LTO);
  // The next key block builds on it, and the chain stays valid for other nodes.
  node.clock.advance(20_000);
  expect(node.chain.ledger((ledger) => ledger.account(addressOfKey(alice)).balance)).toBe(LTO);
  const child = node.blocks.find(({ reference }) =>
    bytesEqual(reference, node.microBlocks[0].totalSignature),
  );
  expect(child).toBeDefined();
});

test("another node that gets the blocks and micro blocks agrees", () => {
  const node = new DevNode();
  const other = new DevNode({ clock: node.clock, accounts: [] });
  node.forger.start();
  const results: boolean[] = [];
  node.blocks.push = (block) => results.push(atOnce(other.chain.accept(block)).ok);
  node.microBlocks.push = (micro) => results.push(atOnce(other.chain.acceptMicroBlock(micro)).ok);
  for (let i = 0; i < 40; i++) {
    send(node, { amount: BigInt(i + 1) });
    node.clock.advance(730);
  }
  expect(results.length).toBeGreaterThan(20);
  expect(results.every((ok) => ok)).toBe(true);
  expect(other.chain.tip).toEqual(node.chain.tip);
});

test("after a restart the node continues its own liquid block at once", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(30_000);
  send(node);
  node.clock.advance(100);
  const { tip } = node.chain;
  expect(tip.microBlocks.length).toBe(1);
  node.forger.stop();

  const again = new DevNode({ store: node.store, clock: node.clock });
  expect(again.chain.tip).toEqual(tip);
  send(again, { amount: 2n * LTO });
  again.forger.start();
  expect(again.forger.state).toBe("mining microblocks");
  again.clock.advance(1);
  expect(again.microBlocks).toHaveLength(1);
  expect(again.chain.tip.height).toBe(tip.height);
  expect(again.chain.ledger((ledger) => ledger.account(addressOfKey(alice)).balance)).toBe(3n * LTO);
  again.clock.advance(20_000);
  expect(again.chain.tip.height).toBeGreaterThan(tip.height);
  // No second block at the same height.
  expect(again.blocks.every(({ timestamp }) => timestamp > tip.keyBlock.timestamp)).toBe(true);
});

test("a node that slept for days continues on a network without an age limit", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(20_000);
  node.forger.stop();
  const { height } = node.chain.tip;
  node.clock.jump(node.clock.now() + 40 * 86_400_000);
  const again = new DevNode({ store: node.store, clock: node.clock });
  again.forger.start();
  again.clock.advance(5_000);
  expect(again.chain.tip.height).toBe(height + 1);
});

test("reports a chain that is too old for the age limit", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(20_000);
  node.forger.stop();
  node.clock.jump(node.clock.now() + 40 * 86_400_000);
  const settings = { forging: { intervalAfterLastBlockMs: 30 * 86_400_000 } };
  const again = new DevNode({ store: node.store, clock: node.clock, settings });
  again.forger.start();
  again.clock.advance(60_000);
  expect(again.blocks).toEqual([]);
  expect(again.forger.state).toMatch(/^error: BlockChain is too old \(last block timestamp is \d+ generated/);
  expect(again.log.lines.filter(({ level }) => level === "warn")).toHaveLength(1);
});

test("an account that leased out its stake stops forging, logged once", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(10_000);
  const balance = node.chain.ledger((ledger) => ledger.account(addressOfKey(rootKeyPair)).balance);
  const lease = buildTransaction({
    type: 8,
    sender: rootKeyPair,
    fee: LTO,
    timestamp: node.clock.now(),
    chainId,
    members: { recipient: addressOfKey(alice), amount: balance - 500n * LTO },
  });
  expect(node.pool.add(lease)).toEqual({ ok: true, value: { added: true } });
  node.clock.advance(200);
  expect(node.microBlocks).toHaveLength(1);
  // The block scheduled before the lease is refused; later ones are not tried.
  node.clock.advance(120_000);
  const height = node.chain.tip.height;
  node.clock.advance(120_000);
  expect(node.chain.tip.height).toBe(height);
  expect(node.forger.state).toMatch(/^error: Balance \d+ of 3QXw\w+ is lower than required for generation$/);
  const warnings = node.log.lines.filter(({ message }) => message === "Account does not forge");
  expect(warnings).toHaveLength(1);
  expect(String(warnings[0].facts.reason)).toContain("is lower than required for generation");
  expect(node.log.lines.filter(({ level }) => level === "error")).toEqual([]);
});

test("an account with a script does not forge", () => {
  const compiled = compileScript("true");
  if (!compiled.ok) throw new Error("the script does not compile");
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(10_000);
  const script = buildTransaction({
    type: 13,
    sender: rootKeyPair,
    fee: 5n * LTO,
    timestamp: node.clock.now(),
    chainId,
    members: { script: compiled.value.bytes },
  });
  expect(node.pool.add(script)).toEqual({ ok: true, value: { added: true } });
  node.clock.advance(60_000);
  expect(node.forger.state).toMatch(
    /^error: Account\(3QXw\w+\) is scripted and therefore not allowed to forge/,
  );
  // Nothing failed: the owner of the account set the script.
  const notes = node.log.lines.filter(({ level }) => level === "warn" || level === "error");
  expect(notes.map(({ message }) => message)).toEqual(["Account does not forge"]);
});

test("a pool full of transactions that have become invalid does not stop packing", () => {
  const node = new DevNode();
  const rich = keyPairOf("rich");
  node.forger.start();
  node.clock.advance(10_000);
  send(node, { to: addressOfKey(rich), amount: 1_000n * LTO });
  node.clock.advance(200);
  // Each could be paid alone; the first one uses up the balance.
  for (let i = 0; i < 50; i++) send(node, { from: rich, amount: 998n * LTO - BigInt(i), fee: 2n * LTO });
  node.clock.advance(100);
  expect(node.pool.size).toBe(0);
  expect(node.microBlocks).toHaveLength(2);
  expect(node.microBlocks[1].transactions).toHaveLength(1);
  send(node);
  node.clock.advance(100);
  expect(node.microBlocks).toHaveLength(3);
});

test("packing judges a limited number of transactions and continues at the next interval", () => {
  const node = new DevNode();
  const rich = keyPairOf("rich");
  node.forger.start();
  node.clock.advance(10_000);
  send(node, { to: addressOfKey(rich), amount: 1_000n * LTO });
  node.clock.advance(200);
  node.forger.stop();
  for (let i = 0; i < 30; i++) send(node, { from: rich, amount: 900n * LTO, fee: LTO + BigInt(30 - i) });
  const capacity = { ...node.chain.forging.remainingCapacity, transactions: 255 };
  expect(node.pool.pack({ capacity, maxWork: 20 * WORK_PER_TRANSACTION }).transactions).toHaveLength(1);
  expect(node.pool.size).toBe(21);
  expect(node.pool.pack({ capacity, maxWork: 20 * WORK_PER_TRANSACTION }).transactions).toHaveLength(1);
  expect(node.pool.size).toBe(12);
});

test("a node forges only with its quorum of connections", () => {
  let connected = 0;
  const node = new DevNode({ connections: () => connected, settings: { forging: { quorum: 1 } } });
  node.forger.start();
  node.clock.advance(30_000);
  expect(node.blocks).toEqual([]);
  const warnings = node.log.lines.filter(({ level }) => level === "warn");
  expect(warnings).toHaveLength(1);
  expect(warnings[0].facts.reason).toBe("Quorum not available (0/1, not forging block.");
  expect(node.forger.state).toBe("error: Quorum not available (0/1, not forging block.");
  connected = 1;
  expect(node.forger.state).toBe("mining blocks");
  node.clock.advance(10_000);
  expect(node.blocks.length).toBeGreaterThan(0);
});

test("after a rollback the node forges on the remaining block", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(60_000);
  const sent = send(node);
  node.clock.advance(100);
  const { height } = node.chain.tip;
  const target = node.blocks[height - 4];
  node.chain.removeAfter(target.signature, { returnTransactions: true });
  expect(node.chain.tip).toMatchObject({ height: height - 2, liquid: false });
  expect(node.pool.has(transactionId(sent))).toBe(true);
  node.clock.advance(20_000);
  expect(node.chain.tip.height).toBeGreaterThan(height - 2);
  expect(node.pool.has(transactionId(sent))).toBe(false);
});

test("a replaced attempt leaves no micro block", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(9_000);
  // A key block is forged in the same step in which the micro block ends.
  node.microBlocks.push = () => {
    node.forger.schedule();
    return 0;
  };
  send(node);
  node.clock.advance(100);
  // A persisted block accepts no micro blocks.
  node.chain.removeAfter(node.blocks[0].signature, { returnTransactions: true });
  expect(node.pool.size).toBe(1);
  node.clock.advance(4_000);
  expect(node.log.lines.filter(({ level }) => level === "error")).toEqual([]);
  node.clock.advance(20_000);
  expect(node.blocks.length).toBeGreaterThan(2);
});

test("forging continues after the queue of chain changes was full", async () => {
  const node = new DevNode();
  node.forger.start();
  const change = node.chain.beginGroup();
  const waiting = Array.from({ length: 100 }, () => node.chain.whenFree(() => {}));
  node.clock.advance(20_000);
  for (let i = 0; i < 5; i++) await Promise.resolve();
  expect(node.blocks).toHaveLength(0);
  change.abandon();
  await Promise.all(waiting);
  node.clock.advance(20_000);
  expect(node.forger.state).toBe("mining microblocks");
  expect(node.blocks.length).toBeGreaterThan(0);
  node.forger.stop();
});

test("blocks hold the votes for features and the fee price", () => {
  const features = new Map(dev.functionality.preActivatedFeatures);
  features.delete(17);
  const profile = { ...dev, functionality: { ...dev.functionality, preActivatedFeatures: features } };
  const node = new DevNode({ profile, settings: { forging: { features: [17, 4, 99] } } });
  node.forger.feeVote = "INCREASE";
  node.forger.start();
  node.clock.advance(10_000);
  expect(node.blocks[0].features).toEqual([17]);
  expect(node.blocks[0].feeVote).toBe(1);
});

test("mining information has the account, its balance and the time of its next block", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(10_000);
  const [info] = node.forger.minerInfo();
  expect(info.address).toEqual(addressOfKey(rootKeyPair));
  expect(info.miningBalance).toBe(dev.genesis.transactions[0].amount);
  expect(info.timestamp).toBeGreaterThan(node.clock.now() - 9_000);
});
