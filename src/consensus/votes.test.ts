import { expect, test } from "vitest";
import { mainnet } from "../profiles/index.ts";
import { blockVersion } from "./proof-of-stake.ts";
import { endsFeatureWindow, minerVotes, unimplementedFeatureText } from "./votes.ts";

test("a window ends every 10,000 blocks on the main network", () => {
  const ends = [5_000, 9_999, 10_000, 10_001, 15_000, 20_000].filter((height) =>
    endsFeatureWindow(mainnet.functionality, height),
  );
  expect(ends).toEqual([10_000, 20_000]);
});

test("a miner votes for implemented features that are not approved yet, in block order", () => {
  const votes = minerVotes([4, 99, 10, 11, 12, 13, 14, 15, 16, 17], (id) => id === 12);
  expect(votes).toEqual([10, 14, 13, 17, 16, 11, 4, 15]);
  expect(minerVotes([17, 4], () => false)).toEqual([17, 4]);
});

test("text about unimplemented features", () => {
  expect(unimplementedFeatureText([18])).toBe(
    "UNIMPLEMENTED FEATURE 18 has been ACTIVATED ON BLOCKCHAIN, UPDATE THE NODE IMMEDIATELY",
  );
  expect(unimplementedFeatureText([18, 19])).toBe(
    "UNIMPLEMENTED FEATURES 18, 19 have been ACTIVATED ON BLOCKCHAIN, UPDATE THE NODE IMMEDIATELY",
  );
});

test("version of a miner's blocks", () => {
  expect([false, true].map(blockVersion)).toEqual([3, 4]);
});
