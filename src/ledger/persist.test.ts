import { expect, test } from "vitest";
import { Overlay } from "../storage/batch/overlay.ts";
import { StoredLedger } from "../storage/ledger/ledger-state.ts";
import { appendKeyBlock } from "./block.ts";
import { eraAt, type LedgerRules } from "./era.ts";
import { persistBlock } from "./persist.ts";
import { SCENARIO_CHAIN_ID, ScenarioWorld, scenarioFunctionality } from "./testing/scenario-world.ts";

test("any 16-bit feature id can be approved, and keeps its first heights", () => {
  const world = new ScenarioWorld({}, {});
  const settings = {
    featureCheckBlocksPeriod: 3,
    blocksForFeatureActivation: 2,
    feeVoteBlocksPeriod: 10,
    blocksForFeeChange: 6,
    miningReward: "0",
    miningRewardBonus: "0",
    miningRewardBonusPeriod: 0,
    leaseUnbondingPeriod: 1,
    burnAddresses: [],
  };
  const rules: LedgerRules = {
    chainId: SCENARIO_CHAIN_ID,
    functionality: scenarioFunctionality(world, {}, settings),
    maxTransactionsInMicroBlock: 255,
  };
  const ledger = new StoredLedger(new Overlay());
  for (let height = 1; height <= 6; height++) {
    const generator = world.address("miner");
    const block = {
      timestamp: BigInt(height),
      generator,
      features: [-5, 32767],
      feeVote: 0,
      transactions: [],
    };
    expect(appendKeyBlock(ledger, block, rules)).toEqual([]);
  }
  persistBlock(ledger, rules);
  expect([...ledger.features()].sort(([a], [b]) => a - b)).toEqual([
    [-5, { approved: 3, activated: 6 }],
    [32767, { approved: 3, activated: 6 }],
  ]);
  expect([5, 6].map((height) => eraAt(ledger, rules, height).isActive(-5))).toEqual([false, true]);
});
