/** Whole networks in one process: as many seeds as fit into the test run. More by `npm run simulate`. */
import { expect, test } from "vitest";
import { simulate } from "./simulation.ts";

const FIRST_SEED = 1;
const SEEDS = 8;
const NODES = 5;

test("the same seed has the same log, to the byte", async () => {
  const lines: string[] = [];
  const seed = FIRST_SEED + SEEDS;
  const first = await simulate({ seed, nodes: 3, write: (line) => lines.push(line) });
  expect(lines.length).toBeGreaterThan(1_000);
  expect(await simulate({ seed, nodes: 3 })).toEqual(first);
});

test(`${SEEDS} networks come together again, whatever goes wrong and whoever lies`, {
  timeout: 300_000,
}, async () => {
  const failed: string[] = [];
  const digests = new Set<string>();
  let switches = 0;
  let crashes = 0;
  for (let seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
    try {
      const result = await simulate({ seed, nodes: NODES });
      digests.add(result.digest);
      switches += result.switches;
      crashes += result.crashes;
    } catch (error) {
      failed.push(`npm run simulate -- --seed ${seed} --nodes ${NODES}: ${error}`);
    }
  }
  expect(failed).toEqual([]);
  // Otherwise the seeds are worth little.
  expect(digests.size).toBe(SEEDS);
  expect(switches).toBeGreaterThan(2 * SEEDS);
  expect(crashes).toBeGreaterThan(SEEDS / 2);
});
