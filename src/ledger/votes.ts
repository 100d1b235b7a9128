/** Windows and outcomes of feature votes and fee votes. Page 03 §5.2, §6.2, §7; page 05 §5, §13. */
import type { Functionality } from "../profiles/profile.ts";

/** Heights from `first` to `last`, both inclusive. */
export interface Window {
  readonly first: number;
  readonly last: number;
}

/** Length of the feature voting window at a height. */
export function windowLength(functionality: Functionality, height: number): number {
  return functionality.featureCheckBlocksPeriod * factor(functionality, height);
}

/** Votes that approve a feature at a height. */
export function votesForActivation(functionality: Functionality, height: number): number {
  return functionality.blocksForFeatureActivation * factor(functionality, height);
}

function factor(functionality: Functionality, height: number): number {
  return height <= functionality.doubleFeaturesPeriodsAfterHeight ? 1 : 2;
}

/** The window of a length that holds a height; height is at least 1. */
export function windowOf(height: number, length: number): Window {
  const index = Math.floor((height - 1) / length);
  return { first: index * length + 1, last: (index + 1) * length };
}

/** The multiples of a step down, no step, a step up: doubles, as the reference has them. */
const DOWN = 1 / 1.1;
const UP = 1.1;

/** The fee price after a sum of votes: one step at most, rounded half up. */
export function nextFeePrice(functionality: Functionality, price: bigint, votes: number): bigint {
  const steps = Math.trunc(votes / functionality.blocksForFeeChange);
  if (steps === 0) return price;
  return BigInt(Math.floor(Number(price) * (steps < 0 ? DOWN : UP) + 0.5));
}
