import type { LeavingUnit, UnitChanges } from "../../interfaces.ts";
import type { Tip } from "../reading/tip.ts";

/** The units that one commit undid and applied. */
export interface ChainChange extends UnitChanges {
  readonly reverted: readonly LeavingUnit[];
  readonly tip: Tip;
  /** True if reverted transactions return to the pool; false if an operator drops them. */
  readonly returnTransactions: boolean;
  /** True if more commits of the same change follow. */
  readonly isPart: boolean;
}

/** Called after a commit, in the same turn of the event loop. */
export type ChangeListener = (change: ChainChange) => void;

/** `follower`: called first, because readers need it in step with the chain (the pool). */
export type ListenerStage = "follower" | "listener";

export function isLiquidGrowth({ reverted, committed }: UnitChanges): boolean {
  return reverted.length === 0 && committed.length > 0 && committed.every(({ sequence }) => sequence > 0);
}
