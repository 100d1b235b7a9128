import { expect, test } from "vitest";
import { addressOf, addressText } from "../../crypto/addresses.ts";
import { dev } from "../../profiles/index.ts";
import { memoryStore } from "../../storage/memory-store.ts";
import { buildTransaction, typeOf } from "../../testing/build-transaction.ts";
import { DevNode, keyPairOf } from "../../testing/dev-node.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { StoredSnapshot } from "../snapshot.ts";
import { slidingMinimum } from "./missed-blocks.ts";

const LTO = 100_000_000n;
const forgers = ["north", "south", "west"].map(keyPairOf);
const addressesOf = forgers.map(({ publicKey }) => addressOf(publicKey, dev.chainId));
const profile = {
  ...dev,
  genesis: {
    ...dev.genesis,
    signature: undefined,
    initialBalance: 1_000_000n * LTO,
    transactions: [500_000n, 300_000n, 200_000n].map((tokens, i) => ({
      recipient: addressesOf[i],
      amount: tokens * LTO,
    })),
  },
};

test("a minimum slides over the values", () => {
  const random = new SeededRandom(4);
  const values = BigInt64Array.from({ length: 200 }, () => BigInt(random.below(50) - 25));
  const expected = Array.from(values, (_, i) => values.slice(Math.max(0, i - 6), i + 1).sort()[0]);
  expect(Array.from(slidingMinimum(values, 7))).toEqual(expected);
});

test("a block is missed if a generator that was offline had the shortest delay", () => {
  const store = memoryStore();
  let node = new DevNode({ profile, store, accounts: forgers });
  /** By height: the generator with the shortest delay, and when it could make the block. */
  const shortest = new Map<number, { readonly generator: string; readonly due: bigint }>();
  const predict = (height: number): void => {
    const { forging, tip } = node.chain;
    const dues = forgers.map(({ publicKey }, forger) => {
      const balance = forging.generatingBalance(addressesOf[forger]);
      const due = tip.keyBlock.timestamp + forging.blockDelay(publicKey, balance);
      return { generator: addressText(addressesOf[forger]), due };
    });
    dues.sort((a, b) => Number(a.due - b.due));
    shortest.set(height, dues[0]);
  };
  const forge = (count: number): void => {
    const { chain, clock, pool } = node;
    for (let i = 0; i < count; i++) {
      const { height } = chain.tip;
      if (i % 10 === 5) {
        const lease = buildTransaction({
          type: typeOf("lease"),
          sender: forgers[i % 2],
          fee: 5n * LTO,
          timestamp: clock.now(),
          chainId: profile.chainId,
          members: { recipient: addressesOf[2], amount: 20_000n * LTO },
        });
        expect(pool.add(lease).ok).toBe(true);
      }
      let state = "";
      while (chain.tip.height === height) {
        // Micro blocks change balances.
        if (chain.tip.id.join() !== state) predict(height + 1);
        state = chain.tip.id.join();
        clock.advance(500);
      }
    }
  };
  node.forger.start();
  forge(45);
  node.forger.stop();
  node = new DevNode({ profile, store, clock: node.clock, accounts: [forgers[0]] });
  node.forger.start();
  forge(45);
  node.forger.stop();
  const trust = { network: new Map(), root: undefined };
  const found = store.read((reader) => {
    const snapshot = new StoredSnapshot(reader, { profile, rules: node.chain.rules, indexAll: true, trust });
    return snapshot.network.missedBlocks(60, 100);
  });
  const { height } = node.chain.tip;
  expect(found.height).toBe(height);
  expect(found.examinedBlocks).toBe(60);
  const expected = Array.from({ length: 60 }, (_, i) => height - i).flatMap((at) => {
    const { generator, due } = shortest.get(at) ?? { generator: "", due: 0n };
    // Only the first forger was online.
    return at > 46 && generator !== addressText(addressesOf[0])
      ? [{ height: at, shortest: generator, due }]
      : [];
  });
  expect(expected.length).toBeGreaterThan(10);
  expect(
    found.blocks.map(({ height, shortest, due }) => ({ height, shortest: addressText(shortest), due })),
  ).toEqual(expected);
});
