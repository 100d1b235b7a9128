/** Rolled back, rejected and uncommitted changes leave no trace. Decision 2 of docs/architecture.md, page 05 §6.1, §23.8. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { allTables } from "../storage/batch/write-batch.ts";
import { memoryStore } from "../storage/memory-store.ts";
import { openStore } from "../storage/store.ts";
import { SeededRandom } from "../testing/seeded-random.ts";
import { RandomChain, tablesSeen } from "./testing/random-chain.ts";

/** 240 in the test run; more with `npm run soak:undo -- --times N`. */
const CASES = Number(process.env.SOAK_TIMES ?? 240);
const FIRST_SEED = Number(process.env.SOAK_SEED ?? 1);
const CASES_PER_CHAIN = 20;
/** Cases with failing commits: as many as requested, and few in the test run. */
const FAILING_CASES = Number(process.env.SOAK_TIMES ?? 80);
/** Every nth chain is on a disk. */
const ON_DISK = 4;

/** Makes rollbacks, with blocks and micro blocks between them, on one chain. @returns their number */
function rollBackOften(chain: RandomChain, random: SeededRandom, most: number): number {
  let cases = 0;
  for (let step = 0; chain.isWide && step < 40; step++) chain.grow();
  for (; cases < CASES_PER_CHAIN && cases < most; cases++) {
    const steps = 1 + random.below(chain.isWide ? 12 : 6);
    for (let step = 0; step < steps; step++) chain.grow();
    if (random.chance(20)) chain.compete();
    chain.shrink();
  }
  for (let step = 0; step < 4; step++) chain.grow();
  chain.compareWithRebuilt();
  return cases;
}

test(`${CASES} rollbacks leave a store as if the removed blocks had never been there`, {
  timeout: 600_000,
}, () => {
  let cases = 0;
  const types = new Set<number>();
  for (let seed = FIRST_SEED; cases < CASES; seed++) {
    const random = new SeededRandom(seed);
    const chain = new RandomChain(random);
    cases += rollBackOften(chain, random, CASES - cases);
    for (const type of chain.typesSeen) types.add(type);
  }
  // Only useful if every transaction type and every table took part.
  if (CASES < 240) return;
  const unused = allTables.filter(({ journaled, name }) => journaled && !tablesSeen.has(name));
  expect(unused.map(({ name }) => name)).toEqual([]);
  expect([...types].sort((a, b) => a - b)).toEqual([
    4, 8, 9, 11, 12, 13, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24,
  ]);
});

test(`${FAILING_CASES} rollbacks with failing commits change all or nothing`, {
  timeout: 600_000,
}, async () => {
  let cases = 0;
  let failures = 0;
  for (let seed = FIRST_SEED; cases < FAILING_CASES; seed++) {
    const random = new SeededRandom(seed);
    const directory = seed % ON_DISK === 0 ? mkdtempSync(join(tmpdir(), "holdfast-undo-")) : undefined;
    const store =
      directory === undefined
        ? memoryStore()
        : await openStore(join(directory, "chain"), { network: "undo property test" });
    try {
      const chain = new RandomChain(random, store, 30);
      cases += rollBackOften(chain, random, FAILING_CASES - cases);
      failures += chain.store.failures;
    } finally {
      await store.close();
      if (directory !== undefined) rmSync(directory, { recursive: true });
    }
  }
  expect(failures).toBeGreaterThan(FAILING_CASES);
});
