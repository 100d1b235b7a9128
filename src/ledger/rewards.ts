/** Who gets what of a fee, and the mining reward. Page 05 §9, page 03 §16. */
import type { Functionality } from "../profiles/profile.ts";

/** The share of a fee that BurnFeeture burns: 0.1 of a token. */
const BURNED_SHARE = 10_000_000n;

/** What the split of a fee depends on. */
export interface FeeEra {
  readonly juicy: boolean;
  /** BurnFeeture at the height of the block. */
  readonly burnFeature: boolean;
  /** BurnFeeture at the height before. */
  readonly burnFeatureBefore: boolean;
}

/** The parts of an effective fee. */
export interface FeeShares {
  /** To the generator of the block that holds the transaction. */
  readonly opener: bigint;
  /** To the generator of the next key block. */
  readonly closer: bigint;
  readonly burned: bigint;
}

/** Two fifths, divided before it is multiplied. */
export function openerPart(amount: bigint): bigint {
  return (amount / 5n) * 2n;
}

/** What the opener leaves. */
export function closerPart(amount: bigint): bigint {
  return amount - openerPart(amount);
}

/** Splits an effective fee by the rules of its block. Page 05 §9.2. */
export function feeShares(fee: bigint, era: FeeEra): FeeShares {
  if (era.juicy) {
    const part = half(fee);
    return { opener: openerPart(part), closer: closerPart(part), burned: part };
  }
  if (!era.burnFeature) return { opener: openerPart(fee), closer: closerPart(fee), burned: 0n };
  const burned = fee < BURNED_SHARE ? fee : BURNED_SHARE;
  const rewarded = fee - burned;
  if (era.burnFeatureBefore) return { opener: openerPart(rewarded), closer: closerPart(rewarded), burned };
  // In the block that activates it, the opener part is still that of the whole fee.
  return { opener: openerPart(fee), closer: closerPart(rewarded), burned: closerPart(burned) };
}

/** Half, truncated; in double arithmetic, as the reference reckons it, which matters beyond 2^53. */
function half(fee: bigint): bigint {
  if (fee <= BigInt(Number.MAX_SAFE_INTEGER)) return fee / 2n;
  return BigInt(Math.trunc(Number(fee) * 0.5));
}

/**
 * The reward of a block, credited at its start and taken from what has been burned.
 * @param juicyActivation height from which Juicy is active; the reward starts one block later. Undefined: never
 * @param burnedBefore burned amount of the chain up to the parent
 */
export function miningReward(
  functionality: Functionality,
  juicyActivation: number | undefined,
  height: number,
  burnedBefore: bigint,
): bigint {
  if (juicyActivation === undefined || juicyActivation + 1 > height) return 0n;
  const { miningReward: base, miningRewardBonus, miningRewardBonusPeriod } = functionality;
  const bonusBlocks = Math.max(juicyActivation + 1 - height + miningRewardBonusPeriod, 0);
  const full = base + miningRewardBonus * BigInt(bonusBlocks);
  return full < burnedBefore ? full : burnedBefore;
}
