import { command, defineControl, query } from "./define.ts";

/** Page 06 §7.16. */
export interface MinerInfo {
  readonly address: Uint8Array;
  readonly miningBalance: bigint;
  /** Due time of its next block, ms. */
  readonly timestamp: number;
}

/** Page 03 §7. */
export type FeeVote = "DECREASE" | "MAINTAIN" | "INCREASE";

export const forgingControl = defineControl({
  miners: query<() => Promise<readonly MinerInfo[]>>(),
  /** `mining blocks`, `mining microblocks`, `disabled` or `error: ...`. Page 06 §7.16. */
  state: query<() => Promise<string>>(),
  feeVote: query<() => Promise<FeeVote>>(),
  setFeeVote: command<(vote: FeeVote) => Promise<void>>(),
  /** Ids of features that this node votes for. */
  features: query<() => Promise<readonly number[]>>(),
});
