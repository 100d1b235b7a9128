/** Shares of fees, and mining rewards. Page 03 §16, page 05 §9. */
import { int64 } from "../bytes/int64.ts";
import type { Functionality } from "../profiles/profile.ts";

/** The part of a fee that the feature BurnFeeture burns: 0.1 tokens. */
const BURNED_SHARE = 10_000_000n;

/** Active features at the height of the transaction's block. */
export interface FeeEra {
  readonly juicy: boolean;
  readonly burnFeature: boolean;
  /** True if BurnFeeture was active one height earlier. */
  readonly burnFeatureBefore: boolean;
}

export interface FeeShares {
  /** For the generator of the transaction's block. */
  readonly opener: bigint;
  /** For the generator of the next key block. */
  readonly closer: bigint;
  readonly burned: bigint;
}

/** Returns two fifths, rounded by dividing before multiplying. */
export function openerPart(amount: bigint): bigint {
  return (amount / 5n) * 2n;
}

export function closerPart(amount: bigint): bigint {
  return amount - openerPart(amount);
}

/** Returns half of a fee, truncated. Uses doubles above 2^53, as the reference does. */
function half(fee: bigint): bigint {
  if (fee <= BigInt(Number.MAX_SAFE_INTEGER)) return fee / 2n;
  return BigInt(Math.trunc(Number(fee) * 0.5));
}

export function feeShares(fee: bigint, era: FeeEra): FeeShares {
  if (era.juicy) {
    const part = half(fee);
    return { opener: openerPart(part), closer: closerPart(part), burned: part };
  }
  if (!era.burnFeature) return { opener: openerPart(fee), closer: closerPart(fee), burned: 0n };
  const burned = fee < BURNED_SHARE ? fee : BURNED_SHARE;
  const rewarded = fee - burned;
  if (era.burnFeatureBefore) return { opener: openerPart(rewarded), closer: closerPart(rewarded), burned };
  // In the block that activates the feature, the opener still gets its part of the whole fee.
  return { opener: openerPart(fee), closer: closerPart(rewarded), burned: closerPart(burned) };
}

/** @param juicyActivation first height with Juicy active, undefined if none; rewards start at the next height */
export function miningRewardCap(
  functionality: Functionality,
  juicyActivation: number | undefined,
  height: number,
): bigint {
  if (juicyActivation === undefined || juicyActivation + 1 > height) return 0n;
  // The reference computes this in 32 bits.
  const blocksLeft = (juicyActivation + 1 - height + functionality.miningRewardBonusPeriod) | 0;
  const bonus = int64(functionality.miningRewardBonus * BigInt(Math.max(blocksLeft, 0)));
  return int64(functionality.miningReward + bonus);
}

/**
 * Returns the reward that a block's generator gets at the start of the block, out of the burned amount.
 * @param burnedBefore burned amount of the chain up to the parent
 */
export function miningReward(
  functionality: Functionality,
  juicyActivation: number | undefined,
  height: number,
  burnedBefore: bigint,
): bigint {
  const cap = miningRewardCap(functionality, juicyActivation, height);
  return cap < burnedBefore ? cap : burnedBefore;
}
