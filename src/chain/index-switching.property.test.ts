/**
 * Indexes that are switched, built, cleared, killed and rolled back in any order end as if built from the remaining
 * blocks with the final settings. Page 07 §18.4.
 */
import { expect, test } from "vitest";
import { SeededRandom } from "../testing/seeded-random.ts";
import { SwitchingChain } from "./testing/switching-chain.ts";

/** Node starts: 100 in the test run; more with `npm run soak:index -- --times N`. */
const CASES = Number(process.env.SOAK_TIMES ?? 100);
const FIRST_SEED = Number(process.env.SOAK_SEED ?? 1);
const CASES_PER_CHAIN = 5;
const STEPS_PER_CASE = 6;

test(`${CASES} random index switches leave the rows that the blocks determine`, {
  timeout: 3_600_000,
}, () => {
  let commits = 0;
  for (let seed = FIRST_SEED, cases = 0; cases < CASES; seed++) {
    const random = new SeededRandom(seed);
    const chain = new SwitchingChain(random, undefined, random.chance(30) ? 20 : 0);
    for (let life = 0; life < CASES_PER_CHAIN; life++, cases++) {
      for (let step = 0; step < STEPS_PER_CASE; step++) {
        chain.grow();
        if (random.chance(50) && chain.build()) commits++;
        if (random.chance(10)) chain.compete();
        if (random.chance(10)) chain.shrink();
      }
      chain.again();
    }
    while (chain.build()) commits++;
    chain.compareWithRebuilt();
  }
  expect(commits).toBeGreaterThan(CASES);
});
