/** Simulates whole networks in one process, for as many seeds as fit in the test run. `npm run simulate` runs more. */
import { expect, test } from "vitest";
import { equalForgers } from "./scenarios.ts";
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

test.each([2, 3, 5])(
  "%i equal forgers of a private network are on one chain two minutes after the last fault",
  {
    timeout: 120_000,
  },
  async (nodes) => {
    const { height, switches } = await simulate({ seed: 1, nodes, scenario: equalForgers(13_000, 60) });
    expect(height).toBeGreaterThan(60);
    expect(switches).toBeGreaterThan(0);
  },
);
