import { expect, test } from "vitest";
import { addressOf } from "../crypto/addresses.ts";
import { sha256 } from "../crypto/hashes.ts";
import type { KeyPair } from "../crypto/signatures.ts";
import type { CommittedUnit, LeavingUnit } from "../interfaces.ts";
import { errorMessage } from "../ledger/refusal.ts";
import { dev } from "../profiles/index.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { DevNode, keyPairOf, rootKeyPair } from "../testing/dev-node.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { type Transaction, transactionBytes, transactionId } from "../transactions/index.ts";
import { Mempool, type PoolChange, type PoolOptions } from "./mempool.ts";
import { allOf } from "./testing/all-of.ts";

const { chainId } = dev;
const LTO = 100_000_000n;
const alice = keyPairOf("alice");
const addressOfKey = ({ publicKey }: KeyPair): Uint8Array => addressOf(publicKey, chainId);
const options: PoolOptions = {
  maxTransactions: 100,
  maxBytes: 100_000,
  maxAgeMs: 5_400_000,
  blacklist: [],
  allowTransfersTo: [],
};

function make(node: DevNode, type: number, members: Record<string, unknown>, age = 0): Transaction {
  const timestamp = node.clock.now() - age;
  return buildTransaction({ type, sender: rootKeyPair, fee: LTO, timestamp, chainId, members });
}

function transfer(node: DevNode, amount = LTO, age = 0): Transaction {
  const members = { recipient: addressOfKey(alice), amount, attachment: new Uint8Array(0) };
  return make(node, 4, members, age);
}

function ids(transactions: readonly Transaction[]): string[] {
  return transactions.map((transaction) => Buffer.from(transactionId(transaction)).toString("hex"));
}

test("limits the pool in bytes too, with the protocol's text", () => {
  const node = new DevNode();
  const size = transactionBytes(transfer(node)).length;
  const pool = new Mempool(node.chain, node.clock, { ...options, maxBytes: 2 * size });
  expect(pool.add(transfer(node, 1n))).toEqual({ ok: true, value: { added: true } });
  expect(pool.add(transfer(node, 2n))).toEqual({ ok: true, value: { added: true } });
  expect(pool.byteSize).toBe(2 * size);
  const refused = pool.add(transfer(node, 3n));
  if (refused.ok) throw new Error("not refused");
  expect(refused.error.kind).toBe("GenericError");
  expect(errorMessage(refused.error)).toBe("Transaction pool size limit is reached");
  pool.remove([transactionId(allOf(pool)[0])]);
  expect(pool.byteSize).toBe(size);
  expect(pool.add(transfer(node, 3n))).toEqual({ ok: true, value: { added: true } });
});

test("pages respect both limits, and have each remaining transaction exactly once", () => {
  const node = new DevNode();
  const pool = new Mempool(node.chain, node.clock, { ...options, maxTransactions: 2_000, maxBytes: 2 ** 20 });
  const random = new SeededRandom(11);
  const size = transactionBytes(transfer(node)).length;
  const kept = new Set<string>();
  const brief: Transaction[] = [];
  for (let i = 0; i < 700; i++) {
    const transaction = transfer(node, BigInt(i + 1), random.below(2_560));
    expect(pool.add(transaction)).toEqual({ ok: true, value: { added: true } });
    if (i % 3 === 0) brief.push(transaction);
    else kept.add(ids([transaction])[0] as string);
  }
  const seen: string[] = [];
  for (let after: string | undefined, turn = 0, more = true; more; more = after !== undefined, turn++) {
    const page = pool.page(after, { transactions: turn % 2 === 0 ? 9 : 100, bytes: 20 * size + 1 });
    expect(page.transactions.length).toBeLessThanOrEqual(turn % 2 === 0 ? 9 : 20);
    seen.push(...ids(page.transactions));
    after = page.next;
    pool.remove(brief.splice(0, 5).map(transactionId));
    pool.add(transfer(node, BigInt(10_000 + turn), random.below(2_560)));
  }
  expect(new Set(seen).size).toBe(seen.length);
  expect([...kept].filter((id) => !seen.includes(id))).toEqual([]);
  expect(seen.length).toBeGreaterThan(kept.size);
  // A transaction larger than a page is a page.
  expect(pool.page(undefined, { transactions: 9, bytes: 1 }).transactions).toHaveLength(1);
});

test("finds the oldest transaction that anchors a hash, by hash or by a mapped value", () => {
  const node = new DevNode();
  const pool = new Mempool(node.chain, node.clock, options);
  const hash = sha256(Uint8Array.of(1));
  const young = make(node, 15, { anchors: [sha256(Uint8Array.of(2)), hash] });
  const old = make(node, 22, { anchors: [[sha256(Uint8Array.of(3)), hash]] }, 5_000);
  const other = make(node, 22, { anchors: [[hash, sha256(Uint8Array.of(4))]] }, 9_000);
  for (const transaction of [young, old, other])
    expect(pool.add(transaction)).toEqual({ ok: true, value: { added: true } });
  expect(pool.oldestAnchor(hash)).toBe(old);
  pool.remove([transactionId(old)]);
  expect(pool.oldestAnchor(hash)).toBe(young);
  pool.remove([transactionId(young)]);
  expect(pool.oldestAnchor(hash)).toBeUndefined();
});

test("a transaction that leaves the pool leaves no trace", () => {
  const node = new DevNode();
  const pool = new Mempool(node.chain, node.clock, options);
  const hash = sha256(Uint8Array.of(1));
  const all = [transfer(node), transfer(node, 7n), make(node, 15, { anchors: [hash] })];
  for (const transaction of all) pool.add(transaction);
  expect(pool.effect(addressOfKey(rootKeyPair)).balance < 0n).toBe(true);
  expect(pool.effect(addressOfKey(alice)).balance).toBe(0n);
  pool.remove(all.map(transactionId));
  expect(pool.size).toBe(0);
  expect(pool.byteSize).toBe(0);
  expect(allOf(pool)).toEqual([]);
  expect(pool.effect(addressOfKey(rootKeyPair)).balance).toBe(0n);
  expect(pool.oldestAnchor(hash)).toBeUndefined();
});

/** A change that reverts a unit with these transactions. */
function reverting(transactions: readonly Transaction[], committed: readonly Transaction[] = []): PoolChange {
  const unit = (all: readonly Transaction[]): LeavingUnit & CommittedUnit => ({
    height: 2,
    sequence: 0,
    id: new Uint8Array(64),
    timestamp: 0n,
    generator: new Uint8Array(26),
    transactionCount: all.length,
    transactionIds: () => all.map(transactionId),
    transactions: all.map((transaction, position) => ({
      transaction,
      id: transactionId(transaction),
      position,
      effectiveFee: transaction.fee,
      effectiveSponsor: undefined,
    })),
  });
  return { reverted: [unit(transactions)], committed: [unit(committed)], returnTransactions: true };
}

test("committed transactions leave the pool, and reverted ones return unless committed again or dropped", () => {
  const node = new DevNode();
  const [sent, gone, again] = [transfer(node, 1n), transfer(node, 2n), transfer(node, 3n)];
  node.pool.add(sent);
  node.pool.applyChange(reverting([gone, again], [sent, again]));
  expect(ids(allOf(node.pool))).toEqual(ids([gone]));
  node.pool.applyChange({ ...reverting([again], [gone]), returnTransactions: false });
  expect(node.pool.size).toBe(0);
});

test("judges returning transactions again, and leaves out those on the chain", () => {
  const node = new DevNode();
  node.forger.start();
  node.clock.advance(10_000);
  const [there, gone] = [transfer(node, 1n), transfer(node, 2n)];
  node.pool.add(there);
  node.clock.advance(200);
  node.pool.applyChange(reverting([there, gone]));
  expect(ids(allOf(node.pool))).toEqual(ids([gone]));
});

test("a dependent transaction returns with the one it needs, and is packed after it in any order", () => {
  const node = new DevNode();
  const lease = make(node, 8, { recipient: addressOfKey(alice), amount: 5n });
  // Older, so that the pool reads it first.
  const cancel = make(node, 9, { leaseId: transactionId(lease) }, 1_000);
  node.pool.applyChange(reverting([lease, cancel]));
  expect(ids(allOf(node.pool)).sort()).toEqual(ids([lease, cancel]).sort());
  // Alone it is refused, and nothing of it is kept.
  const other = new DevNode();
  other.pool.applyChange(reverting([cancel]));
  expect(other.pool.size).toBe(0);
  const capacity = { size: 1_000_000, scripts: 100, transactions: 255 };
  expect(ids(node.pool.pack({ capacity }).transactions)).toEqual(ids([lease, cancel]));
  expect(node.pool.size).toBe(2);
});

test("a transaction too young for the block stays in the pool until a block fits", () => {
  const node = new DevNode();
  const pool = new Mempool(node.chain, node.clock, options);
  const young = transfer(node, 1n, -5_000_000);
  expect(pool.add(young)).toEqual({ ok: true, value: { added: true } });
  const capacity = { size: 1_000_000, scripts: 100, transactions: 255 };
  const blockTimestamp = BigInt(node.clock.now() - 600_000);
  expect(pool.pack({ capacity, blockTimestamp }).transactions).toEqual([]);
  expect(pool.size).toBe(1);
  expect(ids(pool.pack({ capacity }).transactions)).toEqual(ids([young]));
});

test("counts bytes and transactions, and skips what does not fit", () => {
  const node = new DevNode();
  const pool = new Mempool(node.chain, node.clock, options);
  const large = make(node, 15, { anchors: Array.from({ length: 7 }, (_, i) => sha256(Uint8Array.of(i))) });
  const small = [transfer(node, 1n), transfer(node, 2n)];
  pool.add(make(node, 4, { recipient: addressOfKey(alice), amount: 9n, attachment: new Uint8Array(0) }, 99));
  for (const transaction of [large, ...small])
    expect(pool.add(transaction)).toEqual({ ok: true, value: { added: true } });
  const size = transactionBytes(small[0]).length;
  expect(transactionBytes(large).length).toBeGreaterThan(2 * size);
  const packed = pool.pack({ capacity: { size: 3 * size, scripts: undefined, transactions: undefined } });
  expect(packed.transactions).toHaveLength(3);
  expect(packed.transactions.every(({ type }) => type === 4)).toBe(true);
  expect(packed.capacity).toEqual({ size: 0, scripts: undefined, transactions: undefined });
  expect(pool.size).toBe(4);
});
