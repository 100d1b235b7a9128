/** Windows and outcomes of votes on features and on the fee price. Page 03 §5.2, §6, §7; page 05 §5, §13. */
import { canonicalFeatures } from "../blocks/features.ts";
import { implementedFeatures } from "../profiles/features.ts";
import type { Functionality } from "../profiles/profile.ts";

interface Window {
  readonly first: number;
  readonly last: number;
}

function doublingFactor(functionality: Functionality, height: number): number {
  return height <= functionality.doubleFeaturesPeriodsAfterHeight ? 1 : 2;
}

export function windowLength(functionality: Functionality, height: number): number {
  return functionality.featureCheckBlocksPeriod * doublingFactor(functionality, height);
}

export function votesForActivation(functionality: Functionality, height: number): number {
  return functionality.blocksForFeatureActivation * doublingFactor(functionality, height);
}

/** @param height at least 1 */
export function windowOf(height: number, length: number): Window {
  const index = Math.floor((height - 1) / length);
  return { first: index * length + 1, last: (index + 1) * length };
}

/** Returns true for the last height of a window, at which the feature votes are counted. */
export function endsFeatureWindow(functionality: Functionality, height: number): boolean {
  return height % windowLength(functionality, height) === 0;
}

/** Returns the supported features to vote for, in the order of `canonicalFeatures`. */
export function minerVotes(supported: readonly number[], isApproved: (id: number) => boolean): number[] {
  return canonicalFeatures(supported.filter((id) => implementedFeatures.has(id) && !isApproved(id)));
}

/** Page 03 §6.4 defines the text. */
export function unimplementedFeatureText(ids: readonly number[]): string {
  const subject = ids.length === 1 ? `FEATURE ${ids[0]} has` : `FEATURES ${ids.join(", ")} have`;
  return `UNIMPLEMENTED ${subject} been ACTIVATED ON BLOCKCHAIN, UPDATE THE NODE IMMEDIATELY`;
}

export const DEFAULT_FEE_PRICE = 100_000n;

/** Returns the start of the period whose stored price applies at a height. */
export function feePriceHeight(functionality: Functionality, height: number): number {
  return height - (height % functionality.feeVoteBlocksPeriod);
}

/**
 * Returns the heights whose fee votes are counted at `height`, a multiple of the period. Like the reference, excludes
 * `height`.
 */
export function feeVoteWindow(functionality: Functionality, height: number): Window {
  return { first: height - functionality.feeVoteBlocksPeriod + 1, last: height - 1 };
}

/** Factors of one price change. They are doubles, as in the reference. */
const DECREASE = 1 / 1.1;
const INCREASE = 1.1;

/** Returns -1, 0 or 1. @param voteSum votes for a rise minus votes for a fall */
export function feeVoteOutcome(functionality: Functionality, voteSum: number): number {
  if (Math.abs(voteSum) < functionality.blocksForFeeChange) return 0;
  return Math.sign(voteSum);
}

/** Returns the price after at most one change, rounded half up. The new price applies one period later. */
export function nextFeePrice(functionality: Functionality, price: bigint, voteSum: number): bigint {
  const outcome = feeVoteOutcome(functionality, voteSum);
  if (outcome === 0) return price;
  return BigInt(Math.round(Number(price) * (outcome < 0 ? DECREASE : INCREASE)));
}
