import type { CommittedUnit, LeavingUnit, Reorganisation, UnitChanges } from "../../interfaces.ts";
import type { Tip } from "../reading/tip.ts";

/**
 * `pushed`: pushed by a peer; `restored`: our own blocks after a failed switch; `other`: files, rollbacks and
 * checkpoints.
 */
export const changeSources = ["forged", "pushed", "downloaded", "restored", "other"] as const;

export type ChangeSource = (typeof changeSources)[number];

export interface ChainChange extends UnitChanges {
  readonly reverted: readonly LeavingUnit[];
  readonly committed: readonly CommittedUnit[];
  readonly tip: Tip;
  /** True if valid transactions of reverted units return to the pool. */
  readonly returnTransactions: boolean;
  /** True if further commits of the same change follow. */
  readonly isPart: boolean;
  readonly source: ChangeSource;
  /** Set in the last commit of a change that reverted key blocks. */
  readonly reorganisation?: Reorganisation | undefined;
}

export type ChangeListener = (change: ChainChange) => void;

/** Followers, such as the pool, are called first. */
export type ListenerStage = "follower" | "listener";

/** Returns true if a change only adds micro blocks. */
export function isLiquidGrowth({ reverted, committed }: UnitChanges): boolean {
  return reverted.length === 0 && committed.length > 0 && committed.every(({ sequence }) => sequence > 0);
}
