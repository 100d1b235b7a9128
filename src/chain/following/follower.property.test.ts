/** A follower's store equals that of its source, whatever the source's chain does. */
import { expect, test } from "vitest";
import { tables } from "../../storage/tables.ts";
import { SeededRandom } from "../../testing/seeded-random.ts";
import { ChainFollower } from "../testing/chain-follower.ts";
import { compareStores, RandomChain } from "../testing/random-chain.ts";

/** 3 in the test run; more with `SOAK_TIMES`. */
const CHAINS = Number(process.env.SOAK_TIMES ?? 3);
const FIRST_SEED = Number(process.env.SOAK_SEED ?? 1);
const STEPS = 40;

class FollowedChain extends RandomChain {
  readonly follower = new ChainFollower(this);

  compareWithFollower(): void {
    const { store } = this.follower;
    compareStores(store, this.store);
    expect([...store.range(tables.unitDigests)]).toEqual([...this.store.range(tables.unitDigests)]);
  }
}

test(`followers of ${CHAINS} random chains have the stores of their sources`, {
  timeout: 600_000,
}, async () => {
  let forks = 0;
  let persisted = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + CHAINS; seed++) {
    const random = new SeededRandom(seed);
    const chain = new FollowedChain(random);
    for (let step = 0; step < STEPS; step++) {
      chain.grow();
      if (random.chance(15)) chain.compete();
      if (random.chance(10)) chain.shrink();
      if (random.chance(5)) chain.chain.persistTip();
      if (random.chance(8)) chain.regrow();
      // Sometimes the follower reads nothing, or only a part.
      if (random.chance(60) && (await chain.follower.follow(1 + random.below(4)))) forks++;
    }
    if (await chain.follower.follow(10_000)) forks++;
    chain.compareWithFollower();
    for (const [{ sequence }] of chain.store.range(tables.unitDigests)) if (sequence === 0xffff) persisted++;
  }
  expect(forks).toBeGreaterThan(CHAINS);
  expect(persisted).toBeGreaterThan(CHAINS);
});
