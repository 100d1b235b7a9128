/** What the node is asked about forging. */
import { defineControl, typed } from "./define.ts";

/** What an account of the wallet forges with, and when. Page 06 §7.16. */
export interface MinerInfo {
  readonly address: Uint8Array;
  readonly miningBalance: bigint;
  /** When the next block of the account is due, ms. */
  readonly timestamp: number;
}

/** How the node votes on the fee price. Page 03 §7. */
export type FeeVote = "DECREASE" | "MAINTAIN" | "INCREASE";

/** Forging, and what the node votes for. */
export const forgingControl = defineControl({
  miners: { mutates: false, call: typed<() => Promise<readonly MinerInfo[]>>() },
  /** `mining blocks`, `mining microblocks`, `disabled` or `error: ...`. Page 06 §7.16. */
  state: { mutates: false, call: typed<() => Promise<string>>() },
  feeVote: { mutates: false, call: typed<() => Promise<FeeVote>>() },
  setFeeVote: { mutates: true, call: typed<(vote: FeeVote) => Promise<void>>() },
  /** Ids of the features this node votes for. */
  features: { mutates: false, call: typed<() => Promise<readonly number[]>>() },
});
