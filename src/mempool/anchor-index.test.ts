import { expect, test } from "vitest";
import { encodeBase58 } from "../bytes/base58.ts";
import { bytesEqual } from "../bytes/compare.ts";
import { sha256 } from "../crypto/hashes.ts";
import { dev } from "../profiles/index.ts";
import { buildTransaction } from "../testing/build-transaction.ts";
import { rootKeyPair } from "../testing/dev-node.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import type { Transaction } from "../transactions/index.ts";
import { AnchorIndex } from "./anchor-index.ts";
import type { PoolEntry } from "./entry.ts";

/** An entry of an unsigned transaction that anchors the hashes. */
function entry(n: number, timestamp: number, anchors: readonly Uint8Array[]): PoolEntry {
  const id = sha256(Uint8Array.of(n, n >> 8, n >> 16));
  const transaction = { ...template, timestamp: BigInt(timestamp), anchors } as Transaction;
  return { transaction, id, idText: encodeBase58(id), size: 1, effects: [] };
}

const template = buildTransaction({
  type: 15,
  sender: rootKeyPair,
  fee: 1n,
  timestamp: 1,
  chainId: dev.chainId,
  members: { anchors: [new Uint8Array(32)] },
});

test("returns the oldest of each hash, whatever comes and goes", () => {
  const random = new SeededRandom(5);
  // Some begin with others.
  const hashes = [1, 2, 3, 32, 80].map((length) => new Uint8Array(length).fill(1));
  const index = new AnchorIndex();
  const here: PoolEntry[] = [];
  for (let n = 0; n < 2_000; n++) {
    if (random.below(2) === 0 || here.length === 0) {
      const anchors = hashes.filter(() => random.below(3) === 0);
      const added = entry(n, random.below(1_000_000), anchors);
      index.add(added);
      here.push(added);
    } else index.remove(here.splice(random.below(here.length), 1)[0] as PoolEntry);
    for (const hash of hashes) {
      const times = here
        .filter(({ transaction }) => anchorsHash(transaction, hash))
        .map(({ transaction }) => transaction.timestamp);
      const oldest = times.reduce<bigint | undefined>(
        (a, b) => (a === undefined || b < a ? b : a),
        undefined,
      );
      expect(index.oldest(hash)?.transaction.timestamp).toBe(oldest);
    }
  }
});

function anchorsHash(transaction: Transaction, hash: Uint8Array): boolean {
  return transaction.type === 15 && transaction.anchors.some((one) => bytesEqual(one, hash));
}

test("holds any number of transactions that anchor the same hash", () => {
  const hash = new Uint8Array(32).fill(7);
  const index = new AnchorIndex();
  // Each removal once walked over all of them: billions of steps.
  const entries = Array.from({ length: 40_000 }, (_, n) => entry(n, n, [hash]));
  for (const one of entries) index.add(one);
  expect(index.size).toBe(entries.length);
  for (const [n, one] of entries.entries()) {
    if (index.oldest(hash) !== one) throw new Error(`number ${n} is not the oldest`);
    index.remove(one);
  }
  expect(index.size).toBe(0);
});
