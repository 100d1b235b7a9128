/** A chain forged on a virtual clock, with micro blocks and every type of transaction. */
import { addressOf } from "../crypto/addresses.ts";
import { dev, type NetworkProfile } from "../profiles/index.ts";
import type { Store } from "../storage/store.ts";
import { DevNode, keyPairOf } from "./dev-node.ts";
import { RandomTransactions, spenders, trustOfSpenders } from "./random-transactions.ts";
import { SeededRandom } from "./seeded-random.ts";

export const forgerKeyPair = keyPairOf("forger");

/** The dev network with funded accounts, a forger, and short periods. */
export const forgedProfile: NetworkProfile = {
  ...dev,
  functionality: { ...dev.functionality, feeVoteBlocksPeriod: 5, leaseUnbondingPeriod: 3 },
  genesis: {
    ...dev.genesis,
    signature: undefined,
    transactions: [...spenders, forgerKeyPair].map(({ publicKey }) => ({
      recipient: addressOf(publicKey, dev.chainId),
      amount: 10_000_000n * 100_000_000n,
    })),
  },
};

export const forgedTrust = trustOfSpenders(forgedProfile.chainId);

/** Forges up to a height; the last block is liquid. */
export function forgeBlocks(store: Store, height: number, seed = 1): DevNode {
  const random = new SeededRandom(seed);
  const node = new DevNode({
    profile: forgedProfile,
    store,
    accounts: [forgerKeyPair],
    settings: {
      forging: {
        microBlockIntervalMs: 500,
      },
      index: {
        trustNetwork: forgedTrust.network,
      },
      anchoring: {
        hashAccount: forgedTrust.root,
      },
    },
  });
  const transactions = new RandomTransactions(random, forgedProfile.chainId);
  node.forger.start();
  while (node.chain.tip.height < height || node.chain.tip.microBlocks.length < 2) {
    for (let i = random.below(3); i > 0; i--) {
      // The pool rejects transactions that do not fit the state.
      if (!node.pool.add(transactions.next(node.clock.now())).ok) continue;
    }
    node.clock.advance(400);
  }
  node.forger.stop();
  return node;
}
