import type { LeavingUnit, UnitChanges } from "../../interfaces.ts";
import type { Tip } from "../reading/tip.ts";

/** What one commit did to the chain, recorded while it undid and applied units. */
export interface ChainChange extends UnitChanges {
  readonly reverted: readonly LeavingUnit[];
  readonly tip: Tip;
  /** True if transactions that left the chain return to the pool; false if an operator drops them. */
  readonly returned: boolean;
  /** True if more commits of the same change follow. Until then the chain is neither the old one nor the new one. */
  readonly isPart: boolean;
}

/** Called after a commit, in the same turn of the event loop. */
export type ChangeListener = (change: ChainChange) => void;

/** `follower`: must be in step with the chain for all readers of both (the pool), and is called first. */
export type ListenerStage = "follower" | "listener";

export function isLiquidGrowth({ reverted, committed }: UnitChanges): boolean {
  return reverted.length === 0 && committed.length > 0 && committed.every(({ sequence }) => sequence > 0);
}
