import { command, defineControl, query, remotely } from "./define.ts";

/** Page 06 §7.16. */
export interface MinerInfo {
  readonly address: Uint8Array;
  /** Generating balance, in units. */
  readonly miningBalance: bigint;
  /** Earliest time of the next block, ms since 1970. */
  readonly timestamp: number;
}

/** Page 03 §7. */
export type FeeVote = "DECREASE" | "MAINTAIN" | "INCREASE";

export const forgingControl = defineControl({
  miners: remotely(0, query<() => Promise<readonly MinerInfo[]>>()),
  /** Returns `mining blocks`, `mining microblocks`, `disabled` or `error: ...`. */
  state: remotely(0, query<() => Promise<string>>()),
  feeVote: remotely(0, query<() => Promise<FeeVote>>()),
  setFeeVote: command<(vote: FeeVote) => Promise<void>>(),
  features: remotely(0, query<() => Promise<readonly number[]>>()),
});
