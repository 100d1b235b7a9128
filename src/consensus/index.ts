/** Proof of stake, votes and rewards: rules over numbers, without any state. Page 03 §5.2, §6-§8, §14, §16. */
export { type FirstMiner, initialBaseTarget } from "./genesis-base-target.ts";
export { log } from "./log.ts";
export {
  type BalanceChange,
  type BaseTargetInputs,
  blockScore,
  blockVersion,
  earliestTimestamp,
  fairDelay,
  generatingBalanceWindow,
  generationSignature,
  heightOfScore,
  hit,
  hitSourceHeight,
  MAX_FUTURE_MS,
  minimumBalance,
  minimumGeneratingBalance,
  nextBaseTarget,
} from "./proof-of-stake.ts";
export {
  closerPart,
  type FeeEra,
  type FeeShares,
  feeShares,
  miningReward,
  miningRewardCap,
  openerPart,
} from "./rewards.ts";
export {
  DEFAULT_FEE_PRICE,
  endsFeatureWindow,
  feePriceHeight,
  feeVoteOutcome,
  feeVoteWindow,
  minerVotes,
  nextFeePrice,
  unimplementedText,
  votesForActivation,
  type Window,
  windowLength,
  windowOf,
} from "./votes.ts";
