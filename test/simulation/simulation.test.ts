/** Simulates whole networks in one process, for as many seeds as fit in the test run. `npm run simulate` runs more. */
import { expect, test } from "vitest";
import { simulate } from "./simulation.ts";

const FIRST_SEED = 1;
const SEEDS = 8;
const NODES = 5;

test("the same seed writes the same log, byte for byte", async () => {
  const lines: string[] = [];
  const seed = FIRST_SEED + SEEDS;
  const first = await simulate({ seed, nodes: 3, write: (line) => lines.push(line) });
  expect(lines.length).toBeGreaterThan(1_000);
  expect(await simulate({ seed, nodes: 3 })).toEqual(first);
});

test(`${SEEDS} networks converge after all faults and attacks`, {
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
  // Otherwise these seeds would prove little.
  expect(digests.size).toBe(SEEDS);
  expect(switches).toBeGreaterThan(2 * SEEDS);
  expect(crashes).toBeGreaterThan(SEEDS / 2);
});
